import { afterAll, beforeAll, expect, setDefaultTimeout, spyOn, test } from 'bun:test'

import { type FakeIssuer, idToken, startFakeIssuer, tokenResponse } from '../identity/fake-issuer.ts'
import { CLIENT, JO } from '../identity/people.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

let fake: FakeIssuer
let service: SignInApp
beforeAll(async () => {
  fake = startFakeIssuer()
  service = await startSignInApp({ env: { URLMETA_OIDC_STAFF_ISSUER: fake.issuer } })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  fake[Symbol.dispose]()
})

const SUBJECT = { sub: 'jo', email: JO.email, email_verified: true }

/** An id token that is valid except for these claims. */
function tokenWith(nonce: string, claims: object = {}, header?: object): string {
  const now = Math.floor(Date.now() / 1_000)
  return idToken({ iss: fake.issuer, aud: CLIENT.id, iat: now, exp: now + 60, nonce, ...SUBJECT, ...claims }, header)
}

/** Signs in; `token` responds to the exchange of the code, and `parameters` are of the authorization response. */
async function signIn(token: (nonce: string) => Response, parameters: Record<string, string> = {}) {
  const browser = service.browser()
  const started = await browser.request(`${service.base}/sign-in/staff`)
  const { searchParams } = new URL(started.headers.get('location')!)
  fake.token = () => token(searchParams.get('nonce')!)
  const callback = new URLSearchParams({ code: 'c', state: searchParams.get('state')!, ...parameters })
  const page = await browser.get(`${service.base}/sign-in/staff/callback?${callback}`)
  return { browser, page }
}

/** A token response that is valid except for these properties, and claims of its id token. */
const respond =
  (more: object = {}, claims: object = {}, header?: object) =>
  (nonce: string): Response =>
    tokenResponse({ id_token: tokenWith(nonce, claims, header), ...more })

/** Over the limit of a response, but valid. */
const MEGABYTE = { more: 'x'.repeat(1024 * 1024) }

test.each<[string, (nonce: string) => Response]>([
  ['a valid id token', respond()],
  ['a valid id token and a null error', respond({ error: null })],
])('%s signs in', async (_, token) => {
  const { page } = await signIn(token)
  expect([page.status, page.body]).toEqual([200, expect.stringContaining(JO.email)])
})

test.each<[string, (nonce: string) => Response]>([
  ['no id token', respond({ id_token: undefined })],
  ['an id token that is no string', respond({ id_token: 17 })],
  ['an encrypted id token', respond({ id_token: 'a.b.c.d.e' })],
  ['an id token of another issuer', respond({}, { iss: 'https://evil.test' })],
  ['an id token for another client', respond({}, { aud: 'other' })],
  ['an id token of another attempt', respond({}, { nonce: 'other' })],
  ['an expired id token', respond({}, { exp: 1 })],
  ['an id token without a signature', respond({}, {}, { alg: 'none' })],
  ['no access token', respond({ access_token: undefined })],
  ['no token type', respond({ token_type: undefined })],
  ['another token type', respond({ token_type: 'mac' })],
  ['a list', () => Response.json([])],
  ['null', () => Response.json(null)],
  ['an error with status 200', respond({ error: 'invalid_grant' })],
  ['status 400', (nonce) => new Response(respond()(nonce).body, { status: 400 })],
  ['status 201', (nonce) => new Response(respond()(nonce).body, { status: 201 })],
  ['a megabyte', respond(MEGABYTE)],
])('%s is a failed sign-in', async (_, token) => void (await expectFailure(token)))

test('a redirect to a valid response is a failed sign-in', async () => {
  await expectFailure((nonce) => {
    fake.userinfo = () => respond()(nonce)
    return Response.redirect(`${fake.issuer}/userinfo`)
  })
})

/** Without an address in the id token, so that the userinfo endpoint is requested. */
const withoutEmail = (more: object = {}) => respond(more, { email: undefined })

test('a valid response of the userinfo endpoint signs in', async () => {
  fake.userinfo = () => Response.json(SUBJECT)
  expect((await signIn(withoutEmail())).page.status).toBe(200)
})

test.each<[string, () => Response]>([
  ['another subject', () => Response.json({ ...SUBJECT, sub: 'ann' })],
  ['no subject', () => Response.json({ ...SUBJECT, sub: undefined })],
  ['status 401', () => Response.json(SUBJECT, { status: 401, headers: { 'www-authenticate': 'Bearer' } })],
  ['a signed response', () => new Response(idToken(SUBJECT), { headers: { 'content-type': 'application/jwt' } })],
  ['a megabyte', () => Response.json({ ...SUBJECT, ...MEGABYTE })],
])('%s from the userinfo endpoint is a failed sign-in', async (_, userinfo) => {
  fake.userinfo = userinfo
  await expectFailure(withoutEmail())
})

test('an access token that cannot be sent is a failed sign-in', async () => {
  fake.userinfo = () => Response.json(SUBJECT)
  await expectFailure(withoutEmail({ access_token: 't\nt' }))
})

test('a response that takes too long is a failed sign-in', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const deadline = new AbortController()
  using _ = spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (ms === 8_000 ? deadline.signal : timeout(ms)))
  async function* slowly() {
    yield ' '
    deadline.abort(new DOMException('the deadline of the test', 'TimeoutError'))
    await new Promise(() => {})
  }
  const lines = await expectFailure(() => new Response(slowly()))
  expect(JSON.stringify(lines)).toContain('the deadline of the test')
})

/** Signs in, and expects the page and the log of a failed provider, and no session. Returns the lines of the log. */
async function expectFailure(token: (nonce: string) => Response) {
  const earlier = service.app.log.length
  const { browser, page } = await signIn(token)
  expect([page.status, page.body]).toEqual([502, expect.stringContaining('The identity provider returned an error')])
  const lines = service.app.log.slice(earlier)
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: 'sign-in failed', problem: 'provider_failed' }),
  )
  expect((await browser.get('/keys')).url.pathname).toBe('/sign-in')
  return lines
}

test.each<[string, Record<string, string>, number]>([
  ['of another issuer', { iss: 'https://evil.test' }, 502],
  ['with another state', { state: 'A'.repeat(43) }, 400],
  ['that the user declined', { error: 'access_denied' }, 403],
  ['without a code', { code: '' }, 502],
])('an authorization response %s', async (_, parameters, status) => {
  const { page } = await signIn(respond(), parameters)
  expect(page.status).toBe(status)
})
