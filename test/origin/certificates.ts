import { generate } from 'selfsigned'

/** A key and its certificate in PEM. */
export interface Identity {
  key: string
  cert: string
}

/** A test authority, and a valid certificate and several invalid ones, each with one defect. */
export interface Certificates {
  /** The authority's certificate, which clients must trust to accept `good`. */
  authority: string
  good: Identity
  expired: Identity
  notYetValid: Identity
  selfSigned: Identity
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** Creates certificates for `hosts`, which takes about 20 ms. */
export async function makeCertificates(hosts: readonly string[]): Promise<Certificates> {
  const now = Date.now()
  const root = await generate([{ name: 'commonName', value: 'urlmeta test authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  })
  const issue = async (fromDays: number, toDays: number, ca?: { key: string; cert: string }): Promise<Identity> => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: hosts[0] ?? 'test' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      notBeforeDate: new Date(now + fromDays * DAY_MS),
      notAfterDate: new Date(now + toDays * DAY_MS),
      extensions: [{ name: 'subjectAltName', altNames: hosts.map(altNameOf) }],
      ...(ca && { ca }),
    })
    return { key, cert }
  }
  const ca = { key: root.private, cert: root.cert }
  return {
    authority: root.cert,
    good: await issue(-1, 30, ca),
    expired: await issue(-30, -1, ca),
    notYetValid: await issue(1, 30, ca),
    selfSigned: await issue(-1, 30),
  }
}

function altNameOf(host: string) {
  return /^[\d.]+$/.test(host) ? ({ type: 7, ip: host } as const) : ({ type: 2, value: host } as const)
}
