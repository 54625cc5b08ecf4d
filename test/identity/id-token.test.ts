import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'

import type { IdentityClaim } from '../../src/core/accounts/identity.ts'
import { oidcProvider } from '../../src/identity/oidc.ts'
import { type FakeIssuer, idToken, startFakeIssuer, tokenResponse } from './fake-issuer.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 12)
const NOW = NOW_MS / 1_000

let fake: FakeIssuer
let good: Record<string, unknown>

beforeAll(() => {
  setSystemTime(NOW_MS)
  fake = startFakeIssuer()
  const profile = { sub: 'jo', email: 'jo@example.com', email_verified: true, name: 'Jo' }
  good = { iss: fake.issuer, aud: 'urlmeta', exp: NOW + 60, iat: NOW, nonce: 'n', ...profile }
})
afterAll(() => {
  setSystemTime()
  fake[Symbol.dispose]()
})

const REQUEST = { codeVerifier: 'v', nonce: 'n', redirectUri: 'https://m.example/sign-in/a/callback' }

/** Signs in with the token. */
function read(token: string): Promise<IdentityClaim> {
  fake.token = () => tokenResponse({ id_token: token })
  const settings = { name: 'a', clientId: 'urlmeta', clientSecret: 's', url: fake.issuer, label: null }
  return oidcProvider(settings, () => NOW_MS).identify({ code: 'c', issuer: null }, REQUEST)
}

describe('an id token', () => {
  test.each<[string, { sub?: string; [claim: string]: unknown }]>([
    ['that is valid', {}],
    ['for several audiences, with azp', { aud: ['urlmeta', 'other'], azp: 'urlmeta' }],
    ['for one audience in a list', { aud: ['urlmeta'] }],
    ['expired within the allowed clock skew', { exp: NOW - 59 }],
    ['not yet valid within the allowed clock skew', { nbf: NOW + 60 }],
    ['with a subject of 255 characters', { sub: 's'.repeat(255) }],
  ])('%s is accepted', async (_, claims) => {
    const { sub: subject = 'jo' } = claims
    const profile = { verifiedEmail: 'jo@example.com', account: 'jo@example.com', name: 'Jo' }
    expect(await read(idToken({ ...good, ...claims }))).toEqual({ issuer: fake.issuer, subject, ...profile })
  })

  test.each<[string, () => object, string]>([
    ['of another issuer', () => ({ iss: 'https://evil.test' }), '"iss"'],
    ['of an issuer with a trailing slash', () => ({ iss: `${fake.issuer}/` }), '"iss"'],
    ['for another audience', () => ({ aud: 'other' }), '"aud"'],
    ['for other audiences only', () => ({ aud: ['a', 'b'], azp: 'urlmeta' }), '"aud"'],
    ['for no audience', () => ({ aud: [] }), '"aud"'],
    ['for several audiences, without azp', () => ({ aud: ['urlmeta', 'other'] }), 'additional untrusted audiences'],
    ['for several audiences, with the azp of another', () => ({ aud: ['urlmeta', 'other'], azp: 'other' }), '"azp"'],
    ['with the azp of another client', () => ({ azp: 'other' }), '"azp"'],
    ['expired', () => ({ exp: NOW - 60 }), 'expiration'],
    ['that never expires', () => ({ exp: undefined }), '"exp"'],
    ['with exp as a string', () => ({ exp: '9999999999' }), '"exp"'],
    ['that is not valid yet', () => ({ nbf: NOW + 61 }), '"nbf"'],
    ['without the time it was issued', () => ({ iat: undefined }), '"iat"'],
    ['with another nonce', () => ({ nonce: 'm' }), '"nonce"'],
    ['without a nonce', () => ({ nonce: undefined }), '"nonce"'],
    ['without a subject', () => ({ sub: '' }), '"sub"'],
    ['with a numeric subject', () => ({ sub: 17 }), '"sub"'],
    ['with a subject that is too long', () => ({ sub: 's'.repeat(256) }), '"sub"'],
  ])('%s is rejected', async (_, claims, detail) => {
    await expect(read(idToken({ ...good, ...claims() }))).rejects.toMatchObject({
      problem: 'provider_failed',
      detail: expect.stringContaining(detail),
    })
  })

  test.each<[string, unknown, object, boolean]>([
    ['RS256 and nothing is announced', undefined, { alg: 'RS256' }, true],
    ['none and nothing is announced', undefined, { alg: 'none' }, false],
    ['none and RS256 is announced', ['RS256'], { alg: 'none' }, false],
    ['ES256 and it is announced', ['RS256', 'ES256'], { alg: 'ES256' }, true],
    ['ES256 and RS256 is announced', ['RS256'], { alg: 'ES256' }, false],
    ['missing', ['RS256'], {}, false],
  ])('whose algorithm is %s', async (_, announced, header, isAccepted) => {
    fake.document = { id_token_signing_alg_values_supported: announced }
    const result = await read(idToken(good, header)).catch((error: unknown) => error)
    fake.document = {}
    expect(result).toMatchObject(
      isAccepted ? { subject: 'jo' } : { problem: 'provider_failed', detail: expect.stringContaining('"alg"') },
    )
  })

  const part = (text: string) => Buffer.from(text).toString('base64url')
  const HEADER = part('{"alg": "RS256"}')

  test.each(['', 'a.b', 'a.b.c', '..', 'a.b.c.d.e', `${HEADER}.${part('[1]')}.x`, `${part('[1]')}.${part('{}')}.x`])(
    '%j is refused',
    async (token) => {
      await expect(read(token)).rejects.toMatchObject({ problem: 'provider_failed' })
    },
  )

  test.each([
    ['malformed', () => `${HEADER}.${part('{"email": "jo@example')}.x`],
    ['invalid', () => idToken({ ...good, nonce: 'm' })],
  ])('that is %s is not repeated in the log', async (_, token) => {
    const error: unknown = await read(token()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ problem: 'provider_failed', detail: expect.not.stringContaining('jo@example') })
    expect((error as Error).cause).toBeUndefined()
  })
})
