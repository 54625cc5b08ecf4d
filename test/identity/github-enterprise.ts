import { createHash } from 'node:crypto'

import { CLIENT, PEOPLE, type Person, accountChooserPage } from './people.ts'

/** A server with the endpoints of GitHub Enterprise that sign-in uses. */
export interface GithubEnterprise extends Disposable {
  url: string
  /** Replaces the person's addresses. */
  emails: Map<number, object[]>
  /** The response of the token endpoint instead of a token, while set. */
  tokenResponse: (() => Response | Promise<Response>) | null
  /** The forms sent to the token endpoint. */
  exchanges: URLSearchParams[]
}

interface Grant {
  person: Person
  redirectUri: string
  challenge: string
}

export function startGithubEnterprise(): GithubEnterprise {
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, Person>()
  const random = () => crypto.randomUUID()

  /** The consent page: redirects back with a code for the chosen person. */
  async function authorize(request: Request, { searchParams }: URL): Promise<Response> {
    const redirectUri = searchParams.get('redirect_uri') ?? ''
    const back = new URL(redirectUri)
    back.searchParams.set('state', searchParams.get('state') ?? '')
    back.searchParams.set('iss', `${server.url}/login/oauth`)
    if (request.method === 'GET') return html(accountChooserPage(`?${searchParams}`))
    const chosen = (await request.formData()).get('person')
    const person = PEOPLE.find(({ id }) => String(id) === chosen)
    if (person) {
      const code = random()
      codes.set(code, { person, redirectUri, challenge: searchParams.get('code_challenge') ?? '' })
      back.searchParams.set('code', code)
    } else {
      back.searchParams.set('error', 'access_denied')
    }
    return new Response(null, { status: 302, headers: { location: back.href } })
  }

  /** Responds 200 to refused requests too, as GitHub does. */
  function exchange(form: URLSearchParams): Response {
    server.exchanges.push(form)
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    const isClient = form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGranted = grant?.redirectUri === form.get('redirect_uri') && grant.challenge === challenge
    if (!isClient || !grant || !isGranted) return Response.json({ error: 'bad_verification_code' })
    const token = random()
    tokens.set(token, grant.person)
    return Response.json({ access_token: token, token_type: 'bearer', scope: 'user:email' })
  }

  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url)
      if (url.pathname === '/login/oauth/authorize') return authorize(request, url)
      if (url.pathname === '/login/oauth/access_token') {
        const form = new URLSearchParams(await request.text())
        return server.tokenResponse === null ? exchange(form) : server.tokenResponse()
      }
      const person = tokens.get(request.headers.get('authorization')?.replace('Bearer ', '') ?? '')
      if (!person) return Response.json({ message: 'Bad credentials' }, { status: 401 })
      if (url.pathname === '/api/v3/user') return Response.json(profileOf(person))
      if (url.pathname === '/api/v3/user/emails') return Response.json(server.emails.get(person.id) ?? emailsOf(person))
      return new Response(null, { status: 404 })
    },
  })

  const server: GithubEnterprise = {
    url: `http://127.0.0.1:${listener.port}`,
    emails: new Map(),
    tokenResponse: null,
    exchanges: [],
    [Symbol.dispose]: () => void listener.stop(true),
  }
  return server
}

function profileOf({ id, login, name }: Person) {
  // The public address can be anything the person entered, so it must not count as verified.
  return { id, login, name, email: 'op@example.com' }
}

function emailsOf({ login, email, isVerified }: Person) {
  return [
    { email: `${login}@users.noreply.github.com`, primary: false, verified: true, visibility: null },
    { email, primary: true, verified: isVerified, visibility: 'private' },
  ]
}

function html(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}
