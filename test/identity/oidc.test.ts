import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'

import { SignInError } from '../../src/core/accounts/identity.ts'
import { oidcProvider } from '../../src/identity/oidc.ts'
import { type FakeIssuer, idToken, startFakeIssuer, tokenResponse } from './fake-issuer.ts'

let fake: FakeIssuer
let issuer: string

beforeAll(() => {
  fake = startFakeIssuer()
  issuer = fake.issuer
})
afterAll(() => fake[Symbol.dispose]())

const REQUEST = { state: 's', codeVerifier: 'v', nonce: 'n', redirectUri: 'https://m.example/sign-in/a/callback' }

function providerAt(now = () => 0, url = issuer) {
  return oidcProvider({ name: 'my_idp', clientId: 'id', clientSecret: 'secret', url, label: null }, now)
}

describe('a discovery document', () => {
  test.each<[string, () => Record<string, unknown>]>([
    ['that is valid', () => ({})],
    ['with an https endpoint on another host', () => ({ token_endpoint: 'https://id.example/token' })],
  ])('%s is accepted', async (_, document) => {
    fake.document = document()
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
    fake.document = document()
    const refusal = await providerAt()
      .authorizationUrl(REQUEST)
      .catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(SignInError)
    expect((refusal as SignInError).detail).toContain(detail)
    expect((refusal as SignInError).detail.length).toBeLessThan(300)
  })

  test('of an https issuer with an http endpoint on this machine is rejected', async () => {
    const own = 'https://id.example'
    const document = { issuer: own, authorization_endpoint: `${own}/a`, token_endpoint: 'http://127.0.0.1/token' }
    using _ = spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(document))
    await expect(providerAt(undefined, own).authorizationUrl(REQUEST)).rejects.toMatchObject({
      detail: expect.stringContaining('lacks a usable endpoint'),
    })
  })

  test('is requested again after an hour', async () => {
    fake.document = {}
    let nowMs = 0
    const provider = providerAt(() => nowMs)
    const before = fake.documents
    await provider.authorizationUrl(REQUEST)
    nowMs = 60 * 60_000 - 1
    await provider.authorizationUrl(REQUEST)
    expect(fake.documents - before).toBe(1)
    nowMs += 1
    await provider.authorizationUrl(REQUEST)
    expect(fake.documents - before).toBe(2)
  })

  test('is not repeated in the log when it is invalid', async () => {
    await expect(providerAt(undefined, `${issuer}/b`).authorizationUrl(REQUEST)).rejects.toMatchObject({
      problem: 'provider_failed',
      cause: { message: 'HTTP 404' },
    })
  })
})

test.each<[string, string | null, boolean, string]>([
  ['has no issuer although the provider announces one', null, true, '"iss" (issuer) missing'],
  ['has no issuer, and none was announced', null, false, 'returned no usable response'],
  ['has the issuer', 'own', true, 'returned no usable response'],
  ['has another issuer, and none was announced', 'https://evil.test', false, 'unexpected "iss" (issuer)'],
])('a response that %s', async (_, named, isDeclared, detail) => {
  fake.document = { authorization_response_iss_parameter_supported: isDeclared }
  const response = { code: 'c', issuer: named === 'own' ? issuer : named }
  // An accepted response reaches the token endpoint, which this issuer lacks.
  await expect(providerAt().identify(response, REQUEST)).rejects.toMatchObject({
    problem: 'provider_failed',
    detail: expect.stringContaining(detail),
  })
})

test.each<[string, unknown, 'header' | 'body']>([
  ['in the header by default', undefined, 'header'],
  ['in the header if both are announced', ['client_secret_post', 'client_secret_basic'], 'header'],
  ['in the body if only that is announced', ['client_secret_post'], 'body'],
])('the client secret is sent %s', async (_, methods, place) => {
  fake.document = { token_endpoint_auth_methods_supported: methods }
  const requests: { authorization: string | null; form: object }[] = []
  fake.token = async (request) => {
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    requests.push({ authorization: request.headers.get('authorization'), form })
    return new Response(null, { status: 500 })
  }
  const settings = { name: 'a', clientId: 'an-id.x_1', clientSecret: '&+ %:-_.', url: issuer, label: null }
  await expect(oidcProvider(settings, () => 0).identify({ code: 'c', issuer }, REQUEST)).rejects.toThrow(SignInError)
  // Form-encoded, but `-`, `.` and `_` are not, because some providers do not decode them.
  const basic = `Basic ${btoa('an-id.x_1:%26%2B+%25%3A-_.')}`
  const form = {
    grant_type: 'authorization_code',
    code: 'c',
    code_verifier: REQUEST.codeVerifier,
    redirect_uri: REQUEST.redirectUri,
  }
  const secret = { client_id: settings.clientId, client_secret: settings.clientSecret }
  expect(requests).toEqual([
    place === 'header' ? { authorization: basic, form } : { authorization: null, form: { ...form, ...secret } },
  ])
})

test.each<[string, unknown]>([
  ['is missing', undefined],
  ['uses http on another machine', 'http://id.example/userinfo'],
])('a sign-in fails if the userinfo endpoint is needed and %s', async (_, endpoint) => {
  fake.document = { userinfo_endpoint: endpoint }
  const now = Math.floor(Date.now() / 1_000)
  const claims = { iss: issuer, aud: 'id', iat: now, exp: now + 60, nonce: REQUEST.nonce, sub: 'jo' }
  fake.token = () => tokenResponse({ id_token: idToken(claims) })
  await expect(providerAt().identify({ code: 'c', issuer }, REQUEST)).rejects.toMatchObject({
    problem: 'provider_failed',
    detail: expect.stringContaining('lacks a usable endpoint'),
  })
})

test('a provider without a label is labeled by its name', () => expect(providerAt().label).toBe('My idp'))
