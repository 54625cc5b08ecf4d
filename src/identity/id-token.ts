import { decodeIdToken } from 'arctic'

import { MINUTE_MS } from '../core/duration.ts'
import { SignInError } from '../core/accounts/identity.ts'
import { type Json, textOf } from './fetch-json.ts'

/** The allowed difference between the clocks of provider and server. */
const CLOCK_SKEW_MS = MINUTE_MS

/** OpenID Connect Core, section 2: a subject has at most 255 characters. */
const MAX_SUBJECT_CHARACTERS = 255

/**
 * Parses and validates an id token by OpenID Connect Core 3.1.3.7. Its signature is not checked: rule 6 allows that for
 * a token received directly from the token endpoint over TLS.
 * @throws SignInError `provider_failed`
 */
export function readIdToken(
  token: string,
  rules: { issuer: string; clientId: string; nonce: string; nowMs: number },
): Json & { sub: string } {
  const { issuer, clientId, nonce, nowMs } = rules
  const claims = decode(token)
  const { iss, aud, azp, exp, sub } = claims
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  const problems = [
    iss !== issuer && 'another issuer',
    !audiences.includes(clientId) && 'another audience',
    // A token for several audiences names the client it was issued to in `azp`.
    (audiences.length > 1 || azp !== undefined) && azp !== clientId && 'another authorized party',
    !(typeof exp === 'number' && exp * 1_000 > nowMs - CLOCK_SKEW_MS) && 'expired',
    claims['nonce'] !== nonce && 'another nonce',
    !isSubject(sub) && 'no subject',
  ].filter((problem) => problem !== false)
  if (problems.length > 0) throw new SignInError('provider_failed', `invalid id token: ${problems.join(', ')}`)
  return { ...claims, sub: textOf(claims, 'sub')! }
}

function decode(token: string): Json {
  try {
    return decodeIdToken(token) as Json
  } catch {
    // No cause, because it would write part of the token to the log.
    throw new SignInError('provider_failed', 'the id token cannot be decoded')
  }
}

function isSubject(sub: unknown): boolean {
  return typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT_CHARACTERS
}
