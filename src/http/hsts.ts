import { Elysia } from 'elysia'

/** A year, in seconds. Without subdomains: what else the domain serves is not for this service to decide. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

/**
 * Where the public origin is https, tells browsers to come by https alone from then on (RFC 6797). They ignore it over
 * plain http, so it is sent whatever the proxy in front speaks to this server.
 */
export const hsts = (baseUrl: () => string) =>
  new Elysia().onRequest(({ set }) => {
    if (baseUrl().startsWith('https:')) set.headers['strict-transport-security'] = STRICT_TRANSPORT_SECURITY
  })
