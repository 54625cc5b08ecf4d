import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** A server that sends exactly the given bytes, valid or not. */
export interface RawOrigin extends AsyncDisposable {
  port: number
  /** Connections so far. */
  connections(): number
  /** Request heads so far, as received. */
  heads: string[]
}

export interface RawOriginOptions {
  host?: string
  port?: number
  tls?: TlsOptions
}

/** Called when a request head has arrived. */
export type Respond = (socket: Socket, head: string) => void

/** Listens on a loopback address; `onConnect` is called before any byte is read. */
export async function openRawOrigin(
  respond: Respond,
  { host = '127.0.0.1', port = 0, tls }: RawOriginOptions = {},
  onConnect: (socket: Socket) => void = () => {},
): Promise<RawOrigin> {
  const sockets = new Set<Socket>()
  const heads: string[] = []
  let connections = 0

  const listen = (socket: Socket) => {
    socket.on('error', () => {})
    let head = ''
    const read = (chunk: Buffer) => {
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', read)
      // The end of the connection is only noticed once all bytes before it are read.
      socket.resume()
      heads.push(head)
      respond(socket, head)
    }
    socket.on('data', read)
  }
  const greet = (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    onConnect(socket)
  }

  const server: Server = tls ? createTlsServer(tls, listen) : createServer(listen)
  server.on('connection', greet)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    heads,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The path of a request head. */
export function pathOf(head: string): string {
  return head.split(' ', 2)[1] ?? ''
}

/** A complete response with a correct Content-Length. */
export function responseBytes(status: number, headers: Record<string, string>, body: string | Uint8Array = ''): Buffer {
  const bytes = Buffer.from(body)
  const fields = Object.entries({ 'Content-Length': String(bytes.length), ...headers })
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Some Reason\r\n${head}\r\n`, 'latin1'), bytes])
}

/** Writes endlessly, as fast as the client reads. */
export function writeForever(socket: Socket, part: string | Uint8Array): void {
  const write = () => {
    while (!socket.destroyed && socket.write(part)) {
      // Until the buffer is full.
    }
  }
  socket.on('drain', write)
  write()
}

/** Writes a small part at regular intervals until the connection closes. */
export function drip(socket: Socket, part: string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(part), everyMs)
  socket.on('close', () => clearInterval(timer))
}
