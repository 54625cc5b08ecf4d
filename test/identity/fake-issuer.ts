/** An OpenID Connect issuer on a loopback port whose responses are those of the test. */
export interface FakeIssuer extends Disposable {
  issuer: string
  /** Changes to the usual discovery document. */
  document: Record<string, unknown>
  /** How often the discovery document was requested. */
  documents: number
  /** The response of the token endpoint. */
  token: (request: Request) => Response | Promise<Response>
  /** The response of the userinfo endpoint. */
  userinfo: () => Response
}

export function startFakeIssuer(): FakeIssuer {
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/realms/a/token') return fake.token(request)
      if (pathname === '/realms/a/userinfo') return fake.userinfo()
      if (pathname !== '/realms/a/.well-known/openid-configuration') return new Response(null, { status: 404 })
      fake.documents++
      return Response.json({
        issuer: fake.issuer,
        authorization_endpoint: `${fake.issuer}/authorize`,
        token_endpoint: `${fake.issuer}/token`,
        userinfo_endpoint: `${fake.issuer}/userinfo`,
        ...fake.document,
      })
    },
  })
  const fake: FakeIssuer = {
    issuer: `http://127.0.0.1:${listener.port}/realms/a`,
    document: {},
    documents: 0,
    token: notFound,
    userinfo: notFound,
    [Symbol.dispose]: () => void listener.stop(true),
  }
  return fake
}

const notFound = () => new Response(null, { status: 404 })

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** An id token whose signature is not valid. */
export const idToken = (claims: object, header: object = { alg: 'RS256' }) =>
  `${part(header)}.${part(claims)}.${part({})}`

/** A token response; properties of `more` that are undefined are left out. */
export const tokenResponse = (more: object) => Response.json({ access_token: 't', token_type: 'Bearer', ...more })
