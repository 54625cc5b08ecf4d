import * as x509 from '@peculiar/x509'

import type { Identity } from './certificates.ts'

/** A certificate that can issue others. */
export interface Authority extends Identity {
  keys: CryptoKeyPair
  certificate: x509.X509Certificate
  /** DER, as servers of authorities send it. */
  der: Uint8Array
}

export interface CertificateOptions {
  name: string
  /** Null signs with its own key. */
  issuer: Authority | null
  isAuthority?: boolean
  /** Host names of a server. */
  hosts?: readonly string[]
  /** The URL of the issuer's certificate. */
  issuerAddress?: string | undefined
  /** The issuer name in the certificate, if it differs from the issuer's name. */
  claimedIssuer?: string
  fromDays?: number
  toDays?: number
  /** The keys of another certificate, which this one replaces. */
  keys?: CryptoKeyPair
  /** The hash of the signature. */
  hash?: 'SHA-256' | 'SHA-1'
}

const DAY_MS = 24 * 60 * 60 * 1_000
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Issues a certificate of a root, an intermediate or a server, valid or not. */
export async function issueCertificate(options: CertificateOptions): Promise<Authority> {
  const { name, issuer, isAuthority = true, hosts, issuerAddress, claimedIssuer, fromDays = -1, toDays = 30 } = options
  x509.cryptoProvider.set(crypto)
  const keys = options.keys ?? (await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']))
  const now = Date.now()
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: claimedIssuer === undefined ? (issuer?.certificate.subject ?? `CN=${name}`) : `CN=${claimedIssuer}`,
    notBefore: new Date(now + fromDays * DAY_MS),
    notAfter: new Date(now + toDays * DAY_MS),
    signingAlgorithm: { ...ALGORITHM, hash: options.hash ?? ALGORITHM.hash },
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, undefined, true),
      ...(issuerAddress === undefined ? [] : [new x509.AuthorityInfoAccessExtension({ caIssuers: issuerAddress })]),
      ...(hosts ? [new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value })))] : []),
    ],
  })
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    keys,
    certificate,
    der: new Uint8Array(certificate.rawData),
    cert: certificate.toString('pem'),
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  }
}
