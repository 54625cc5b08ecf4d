import { describe, expect, test } from 'bun:test'

import { readIdToken } from '../../src/identity/id-token.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 12)
const RULES = { issuer: 'https://id.example', clientId: 'urlmeta', nonce: 'n', nowMs: NOW_MS }
const GOOD = { iss: 'https://id.example', aud: 'urlmeta', exp: NOW_MS / 1_000 + 60, nonce: 'n', sub: 'jo' }

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenOf = (claims: object) => `${part({ alg: 'RS256' })}.${part(claims)}.${part({})}`

describe('an id token', () => {
  test.each<[string, object]>([
    ['that is valid', {}],
    ['for several audiences, with azp', { aud: ['urlmeta', 'other'], azp: 'urlmeta' }],
    ['for one audience in a list', { aud: ['urlmeta'] }],
    ['expired within the allowed clock skew', { exp: NOW_MS / 1_000 - 59 }],
    ['with a subject of 255 characters', { sub: 's'.repeat(255) }],
  ])('%s is accepted', (_, claims) => {
    const expected = { ...GOOD, ...claims }
    expect(readIdToken(tokenOf(expected), RULES)).toEqual(expected)
  })

  test.each<[string, object, string]>([
    ['of another issuer', { iss: 'https://evil.test' }, 'another issuer'],
    ['of an issuer with a trailing slash', { iss: 'https://id.example/' }, 'another issuer'],
    ['for another audience', { aud: 'other' }, 'another audience'],
    ['for other audiences only', { aud: ['a', 'b'], azp: 'urlmeta' }, 'another audience'],
    ['for several audiences, without azp', { aud: ['urlmeta', 'other'] }, 'authorized party'],
    ['for several audiences, with the azp of another', { aud: ['urlmeta', 'other'], azp: 'other' }, 'authorized party'],
    ['with the azp of another client', { azp: 'other' }, 'authorized party'],
    ['expired', { exp: NOW_MS / 1_000 - 60 }, 'expired'],
    ['that never expires', { exp: undefined }, 'expired'],
    ['with exp as a string', { exp: '9999999999' }, 'expired'],
    ['with another nonce', { nonce: 'm' }, 'another nonce'],
    ['without a nonce', { nonce: undefined }, 'another nonce'],
    ['without a subject', { sub: '' }, 'no subject'],
    ['with a numeric subject', { sub: 17 }, 'no subject'],
    ['with a subject that is too long', { sub: 's'.repeat(256) }, 'no subject'],
  ])('%s is rejected', (_, claims, detail) => {
    expect(() => readIdToken(tokenOf({ ...GOOD, ...claims }), RULES)).toThrow(
      expect.objectContaining({ problem: 'provider_failed', detail: expect.stringContaining(detail) }),
    )
  })

  test.each(['', 'a.b', 'a.b.c', '..', `${part({})}.${Buffer.from('[1]').toString('base64url')}.x`])(
    '%j is refused',
    (token) => {
      expect(() => readIdToken(token, RULES)).toThrow(expect.objectContaining({ problem: 'provider_failed' }))
    },
  )

  test('that is malformed is not repeated in the log', () => {
    try {
      readIdToken(`${part({})}.${Buffer.from('{"email": "jo@example').toString('base64url')}.x`, RULES)
    } catch (error) {
      expect(error).toMatchObject({ problem: 'provider_failed', detail: 'the id token cannot be decoded' })
      expect((error as Error).cause).toBeUndefined()
    }
    expect.assertions(2)
  })
})
