import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SignInError } from '../../src/core/accounts/identity.ts'
import { oidcProvider } from '../../src/identity/oidc.ts'

/** Changes to the usual discovery document. */
let instead: Record<string, unknown> = {}
let documents = 0
let server: ReturnType<typeof Bun.serve>
let issuer: string

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      if (new URL(request.url).pathname !== '/realms/a/.well-known/openid-configuration') {
        return new Response(null, { status: 404 })
      }
      documents++
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        ...instead,
      })
    },
  })
  issuer = `http://127.0.0.1:${server.port}/realms/a`
})
afterAll(() => server.stop(true))

const REQUEST = { state: 's', codeVerifier: 'v', nonce: 'n', redirectUri: 'https://m.example/sign-in/a/callback' }

function providerAt(now = () => 0, url = issuer) {
  return oidcProvider({ name: 'my_idp', clientId: 'id', clientSecret: 'secret', url, label: null }, now)
}

describe('a discovery document', () => {
  test.each<[string, () => Record<string, unknown>]>([
    ['that is valid', () => ({})],
    ['with an https endpoint on another host', () => ({ token_endpoint: 'https://id.example/token' })],
  ])('%s is accepted', async (_, document) => {
    instead = document()
    const url = await providerAt().authorizationUrl(REQUEST)
    expect(url.href).toStartWith(`${issuer}/authorize?`)
    expect(url.searchParams.get('nonce')).toBe('n')
  })

  test.each<[string, () => Record<string, unknown>, string]>([
    ['of another issuer', () => ({ issuer: 'https://id.example' }), 'has the issuer https://id.example'],
    ['of an issuer with a trailing slash', () => ({ issuer: `${issuer}/` }), 'has the issuer http://127.0.0.1'],
    ['of a very long issuer', () => ({ issuer: 'x'.repeat(1_000) }), 'x'.repeat(200)],
    ['without a token endpoint', () => ({ token_endpoint: undefined }), 'lacks a usable endpoint'],
    [
      'with an http endpoint on another host',
      () => ({ token_endpoint: 'http://id.example/token' }),
      'lacks a usable endpoint',
    ],
    [
      'with an endpoint that is not an http(s) URL',
      () => ({ authorization_endpoint: 'javascript:x()' }),
      'lacks a usable endpoint',
    ],
  ])('%s is rejected', async (_, document, detail) => {
    instead = document()
    const refusal = await providerAt()
      .authorizationUrl(REQUEST)
      .catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(SignInError)
    expect((refusal as SignInError).detail).toContain(detail)
    expect((refusal as SignInError).detail.length).toBeLessThan(300)
  })

  test('is requested again after an hour', async () => {
    instead = {}
    let nowMs = 0
    const provider = providerAt(() => nowMs)
    const before = documents
    await provider.authorizationUrl(REQUEST)
    nowMs = 60 * 60_000 - 1
    await provider.authorizationUrl(REQUEST)
    expect(documents - before).toBe(1)
    nowMs += 1
    await provider.authorizationUrl(REQUEST)
    expect(documents - before).toBe(2)
  })

  test('is not repeated in the log when it is invalid', async () => {
    await expect(providerAt(undefined, `${issuer}/b`).authorizationUrl(REQUEST)).rejects.toMatchObject({
      problem: 'provider_failed',
      cause: { message: 'HTTP 404' },
    })
  })
})

test.each<[string, string | null, boolean, string]>([
  ['has no issuer although the provider announces one', null, true, 'has no issuer'],
  ['has no issuer, and none was announced', null, false, 'returned no usable response'],
  ['has the issuer', 'own', true, 'returned no usable response'],
  ['has another issuer, and none was announced', 'https://evil.test', false, 'another issuer'],
])('a response that %s', async (_, named, isDeclared, detail) => {
  instead = { authorization_response_iss_parameter_supported: isDeclared }
  const response = { code: 'c', issuer: named === 'own' ? issuer : named }
  // An accepted response reaches the token endpoint, which this issuer lacks.
  await expect(providerAt().identify(response, REQUEST)).rejects.toMatchObject({
    problem: 'provider_failed',
    detail: expect.stringContaining(detail),
  })
})

test('a provider without a label is labeled by its name', () => expect(providerAt().label).toBe('My idp'))
