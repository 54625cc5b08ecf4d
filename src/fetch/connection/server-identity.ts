import { X509Certificate } from 'node:crypto'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/** Signature algorithms that browsers no longer accept, as OpenSSL names them. */
const WEAK_SIGNATURE = /sha1|md5/i

/** A wildcard within a label, such as `x*.site.test`. A whole label may be one (RFC 6125 section 6.4.3). */
const PARTIAL_WILDCARD = /^DNS:(?:.*[^.]\*|.*\*[^.])/

/** Replaces the subject, whose common name `checkServerIdentity` would use for certificates without other names. */
const NO_SUBJECT = { C: '', ST: '', L: '', O: '', OU: '', CN: '' }

/**
 * Checks a certificate against the host. Stricter than `node:tls`, as in browsers: the common name does not count, a
 * wildcard must be a whole label, and signatures with SHA-1 or MD5 are refused.
 */
export function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  if (WEAK_SIGNATURE.test(new X509Certificate(certificate.raw).signatureAlgorithm ?? '')) {
    return Object.assign(new Error('weak signature'), { code: 'CERT_WEAK_SIGNATURE' })
  }
  const names = (certificate.subjectaltname ?? '').split(', ').filter((name) => !PARTIAL_WILDCARD.test(name))
  return checkServerIdentity(host, { ...certificate, subject: NO_SUBJECT, subjectaltname: names.join(', ') })
}
