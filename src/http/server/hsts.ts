import { Elysia } from 'elysia'

/** One year, in seconds. Does not include subdomains, because other services may run on subdomains. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

/**
 * If the public origin is https, makes browsers use only https (RFC 6797). Browsers ignore the header on plain http, so
 * it is sent with every response.
 */
export const hsts = (baseUrl: () => string) =>
  new Elysia().onRequest(({ set }) => {
    if (baseUrl().startsWith('https:')) set.headers['strict-transport-security'] = STRICT_TRANSPORT_SECURITY
  })
