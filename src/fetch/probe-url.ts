import { rootCertificates } from 'node:tls'

const TIMEOUT_MS = 8_000

/** Longer responses are truncated. A health check returns a few bytes. */
const MAX_TEXT_CHARACTERS = 1_000

/**
 * Requests a URL that the operator configured, such as the public URL of this service. The request bypasses the egress
 * guard, which protects against URLs chosen by callers. Redirects are not followed, and a response with any status
 * counts as a response.
 */
export async function probeUrl(url: string, method: 'GET' | 'HEAD' = 'GET') {
  const response = await fetch(url, { method, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  const text = (await response.text()).slice(0, MAX_TEXT_CHARACTERS)
  return { status: response.status, headers: response.headers, text }
}

/** The number of built-in certificate authorities. */
export const BUILT_IN_AUTHORITIES = rootCertificates.length
