import type { X509Certificate } from 'node:crypto'

import { parseUrl } from '../web-url.ts'

/** A CA Issuers URL of the Authority Information Access extension. Node prints one per line. */
const CA_ISSUERS = /^CA Issuers - URI:(https?:\/\/\S+)$/im

/** The URL of the issuer's certificate, as given in a certificate (RFC 5280 section 4.2.2.1). */
export function issuerAddressOf({ infoAccess }: X509Certificate): URL | null {
  return parseUrl(CA_ISSUERS.exec(infoAccess ?? '')?.[1] ?? '')
}

/**
 * Builds the chain from a server's certificate to a trusted root. Returns the root and the intermediate certificates, or
 * null if no chain can be built. Intermediate certificates must be valid now and belong to an authority. Self-signed ones
 * are not used, because they would be trusted as roots. TLS verifies the chain again.
 * @param certificates the server's certificate, and others in any order. Their number bounds the time.
 */
export function chainOf(
  [leaf, ...others]: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  now: number,
): readonly X509Certificate[] | null {
  if (leaf === undefined || !isValid(leaf, now)) return null
  const usable = new Set(others.filter((one) => one.ca && isValid(one, now) && !isIssued(one, one)))
  const valid = roots.filter((root) => isValid(root, now))
  return pathFrom(leaf, usable, valid)
}

/** Tries each certificate once. Several may have issued `last`, and not all of them lead to a trusted root. */
function pathFrom(
  last: X509Certificate,
  untried: Set<X509Certificate>,
  roots: readonly X509Certificate[],
): readonly X509Certificate[] | null {
  const root = roots.find((one) => isIssued(last, one))
  if (root !== undefined) return [root]
  for (const next of untried) {
    if (!isIssued(last, next)) continue
    untried.delete(next)
    const path = pathFrom(next, untried, roots)
    if (path !== null) return [...path, next]
  }
  return null
}

function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function isValid({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo)
}
