import { makeCertificates } from './certificates.ts'

/** A TLS server on loopback whose certificate is not trusted. */
export interface UntrustedServer extends Disposable {
  port: number
  /** The number of bytes that clients have sent inside TLS. */
  receivedBytes(): number
}

export async function openUntrustedServer(): Promise<UntrustedServer> {
  const { good } = await makeCertificates(['127.0.0.1'])
  let receivedBytes = 0
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    tls: good,
    socket: { data: (_, bytes) => void (receivedBytes += bytes.length) },
  })
  return {
    port: listener.port,
    receivedBytes: () => receivedBytes,
    [Symbol.dispose]: () => listener.stop(true),
  }
}
