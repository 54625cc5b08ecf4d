import { decodeIdToken } from 'arctic'

import { SignInError } from '../core/identity.ts'
import { type Json, textOf } from './ask-json.ts'

/** How far two clocks may differ. */
const CLOCK_SKEW_MS = 60_000

/** OpenID Connect Core, section 2: a subject has at most 255 characters. */
const MAX_SUBJECT_CHARACTERS = 255

export interface IdTokenRules {
  issuer: string
  clientId: string
  nonce: string
  nowMs: number
}

/**
 * Reads an id token and checks what OpenID Connect Core 3.1.3.7 asks for. Its signature is not checked, as rule 6 there
 * allows: the token came straight from the token endpoint, and TLS has shown who that is.
 * @throws SignInError `provider_failed`
 */
export function readIdToken(token: string, { issuer, clientId, nonce, nowMs }: IdTokenRules): Json & { sub: string } {
  const claims = decode(token)
  const { iss, aud, azp, exp, sub } = claims
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  const faults = [
    iss !== issuer && 'another issuer',
    !audiences.includes(clientId) && 'another audience',
    // With several audiences the token says for whom of them it was made.
    (audiences.length > 1 || azp !== undefined) && azp !== clientId && 'another authorized party',
    !(typeof exp === 'number' && exp * 1_000 > nowMs - CLOCK_SKEW_MS) && 'expired',
    claims['nonce'] !== nonce && 'another nonce',
    !isSubject(sub) && 'no subject',
  ].filter((fault) => fault !== false)
  if (faults.length > 0) throw new SignInError('provider_failed', `the id token is not for us: ${faults.join(', ')}`)
  return { ...claims, sub: textOf(claims, 'sub')! }
}

function decode(token: string): Json {
  try {
    return decodeIdToken(token) as Json
  } catch {
    // The cause would repeat part of the token in the log.
    throw new SignInError('provider_failed', 'the id token cannot be read')
  }
}

function isSubject(sub: unknown): boolean {
  return typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT_CHARACTERS
}
