import type { X509Certificate } from 'node:crypto'

import { parseUrl } from '../web-url.ts'

/** A CA Issuers URL of the Authority Information Access extension. Node prints one per line. */
const CA_ISSUERS = /^CA Issuers - URI:(https?:\/\/\S+)$/im

/** The URL of the issuer's certificate, as given in a certificate (RFC 5280 section 4.2.2.1). */
export function issuerAddressOf({ infoAccess }: X509Certificate): URL | null {
  return parseUrl(CA_ISSUERS.exec(infoAccess ?? '')?.[1] ?? '')
}

/**
 * The root of the chain that ends with `last` and `intermediate`, or null if `intermediate` must not be used. It must
 * be a CA certificate, be valid now, have issued `last`, and be issued by one of the roots.
 * TLS verifies the whole chain again. These checks make sure that the added certificate cannot act as a root itself.
 */
export function rootOf(
  intermediate: X509Certificate,
  last: X509Certificate,
  roots: readonly X509Certificate[],
  now: number,
): X509Certificate | null {
  if (!intermediate.ca || !isValid(intermediate, now) || !isIssued(last, intermediate)) return null
  // A self-signed certificate would be trusted as a root.
  if (isIssued(intermediate, intermediate)) return null
  return roots.find((root) => isValid(root, now) && isIssued(intermediate, root)) ?? null
}

function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function isValid({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo)
}
