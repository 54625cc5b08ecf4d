import { Elysia } from 'elysia'

/** One year, in seconds. Does not include subdomains, because other services may run on subdomains. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

/** Makes browsers use only https if the public origin does (RFC 6797). On plain http, they ignore the header. */
export const hsts = (baseUrl: () => string) =>
  new Elysia().onRequest(({ set }) => {
    if (baseUrl().startsWith('https:')) set.headers['strict-transport-security'] = STRICT_TRANSPORT_SECURITY
  })
