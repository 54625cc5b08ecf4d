import { BROWSER_KEY_REFUSALS, mapAllowLists, notAllowed } from '../../core/accounts/key-settings.ts'
import { EXTRA_NAMES, extraRule } from '../../core/extract/fields/extra.ts'
import { type ClientLimit, ClientLimitError, MinuteLimitError, MonthLimitError } from '../../core/errors.ts'
import { FETCH_TIMEOUT_MS, FETCH_TIMEOUT_RULE } from '../../core/limits.ts'
import { ACCEPT_LANGUAGE_RULE } from '../../core/net/language.ts'
import type { Plan } from '../../core/plan.ts'
import { IMAGES_PER_RESPONSE } from '../../service/usage/admission.ts'
import { FAILURES_PER_MINUTE } from '../../service/usage/failed-authentications.ts'
import { METADATA_EXAMPLE, schemaReference } from './schema.ts'
import { mapValues } from './map-values.ts'

type Headers = Record<string, ReturnType<typeof header>>

export interface ResponseObject {
  description: string
  headers: Headers
  content?: object
}

/** The reset time in the examples: 2026-12-01. */
const EXAMPLE_RESET = { unixSecond: 1_796_083_200, iso: '2026-12-01T00:00:00Z' }
const EXAMPLE_RETRY_AFTER_S = 42
const EXAMPLE_VISITOR_PER_MINUTE = 30

const header = (description: string, schema: object, required = true) => ({ description, required, schema })

const integer = (description: string, example: number) =>
  header(description, { type: 'integer', minimum: 0, examples: [example] })

const text = (description: string, example: string) => header(description, { type: 'string', examples: [example] })

/** Headers of every response, including errors. */
const COMMON_HEADERS: Headers = {
  'X-Request-Id': header(
    "The request's id in the server's log: a UUID, or the `X-Request-Id` that a trusted reverse proxy sent.",
    { type: 'string', maxLength: 128, examples: ['01a20006-e649-75f1-8b0f-29c2e678a49a'] },
  ),
  traceparent: header(
    'The `traceparent` of the request (W3C Trace Context), unchanged. Only when it was well-formed.',
    { type: 'string', examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'] },
    false,
  ),
  'X-Ignored-Parameters': header(
    'The names of parameters that the API does not know, and ignores: at most 5, each with at most 64 characters of ' +
      'printable ASCII. Only when there are some, and the key is valid.',
    { type: 'string', examples: ['cach'] },
    false,
  ),
}

/** The two header fields of the IETF draft, with example values. */
const draftHeaders = (policies: string, remaining: string): Headers => ({
  'RateLimit-Policy': text(
    'The limits as defined by the IETF draft "RateLimit header fields for HTTP": a list of `"minute"` and `"month"` with the ' +
      'quota `q` and the window `w` in seconds. The month has no `w`, because months differ in length.',
    policies,
  ),
  RateLimit: text('The remaining quota: `r` requests, and `t` seconds until the quota resets.', remaining),
})

const rateLimitHeaders = ({ perMinute }: Plan): Headers => ({
  'X-RateLimit-Limit': integer('Requests per minute that the key allows.', perMinute),
  'X-RateLimit-Remaining': integer(
    'Requests left in the current clock minute, for the key or for all keys of its user together, whichever is less.',
    Math.max(0, perMinute - 1),
  ),
  'X-RateLimit-Reset': integer('Unix second at which the next minute begins.', EXAMPLE_RESET.unixSecond),
})

const successHeaders = (plan: Plan): Headers => ({
  ...rateLimitHeaders(plan),
  ...draftHeaders(
    `"minute";q=${plan.perMinute};w=60, "month";q=${plan.perMonth}`,
    `"minute";r=${Math.max(0, plan.perMinute - 1)};t=${EXAMPLE_RETRY_AFTER_S}, ` +
      `"month";r=${Math.max(0, plan.perMonth - 1)};t=864000`,
  ),
  'X-Monthly-Limit': integer('Requests per calendar month (UTC) that the user may make.', plan.perMonth),
  'X-Monthly-Used': integer('Requests used this month, including this one.', 1),
  'X-Monthly-Remaining': integer('Requests left this month.', Math.max(0, plan.perMonth - 1)),
  'X-Cache': header('Whether the response came from the cache.', { type: 'string', enum: ['HIT', 'MISS'] }),
  'X-Provisional': header(
    'Present when a later request may get a better response: the page needed a browser and none was free or too ' +
      'little time was left, or the favicon could not be checked. Such a response is not cached.',
    { type: 'boolean', enum: [true] },
    false,
  ),
})

const RETRY_AFTER: Headers = { 'Retry-After': integer('Seconds until the next minute.', EXAMPLE_RETRY_AFTER_S) }

/** Headers that a status has only in some cases. */
const optional = (when: string, headers: Headers): Headers =>
  mapValues(headers, ({ description, schema }) => header(`${description} Only when ${when}.`, schema, false))

const limitHeaders = (plan: Plan): Headers => ({
  ...optional(
    'a limit of the user is reached',
    draftHeaders(`"minute";q=${plan.perMinute};w=60`, `"minute";r=0;t=${EXAMPLE_RETRY_AFTER_S}`),
  ),
  ...optional('a per-minute limit is reached', RETRY_AFTER),
  ...optional('the per-minute limit is reached', rateLimitHeaders(plan)),
  ...optional('the monthly limit is reached', {
    'X-Monthly-Limit': integer('Requests per month.', plan.perMonth),
    'X-Monthly-Used': integer('Requests used this month.', plan.perMonth),
    'X-Monthly-Reset': header('First instant of the next month.', {
      type: 'string',
      format: 'date-time',
      examples: [EXAMPLE_RESET.iso],
    }),
  }),
})

/** An error response: `{ "error": … }` with an example of each message. */
const failure = (description: string, examples: Record<string, string>, headers: Headers = {}): ResponseObject => ({
  description,
  headers: { ...COMMON_HEADERS, ...headers },
  content: {
    'application/json': {
      schema: { $ref: schemaReference('ErrorResponse') },
      examples: mapValues(examples, (error) => ({ value: { error } })),
    },
  },
})

const CHALLENGE: Headers = {
  'WWW-Authenticate': text('The header in which to send the key.', 'ApiKey realm="urlmeta", header="X-API-Key"'),
}

const clientLimitMessage = (kind: ClientLimit, perMinute: number) =>
  new ClientLimitError(kind, perMinute, EXAMPLE_RETRY_AFTER_S).message

/** The responses of `GET /v1/metadata` by status. `plan` is used in the examples. */
export function metadataResponses(plan: Plan): Record<string, ResponseObject> {
  const { message: minute } = new MinuteLimitError(plan, EXAMPLE_RESET.unixSecond, EXAMPLE_RETRY_AFTER_S)
  const authentication = clientLimitMessage('authentication_limit', FAILURES_PER_MINUTE)
  const visitor = clientLimitMessage('visitor_limit', EXAMPLE_VISITOR_PER_MINUTE)
  const { message: month } = new MonthLimitError(plan.perMonth, plan, EXAMPLE_RESET.iso)
  return {
    200: {
      description: 'The metadata of the page.',
      headers: { ...COMMON_HEADERS, ...successHeaders(plan) },
      content: {
        'application/json': { schema: { $ref: schemaReference('MetadataResponse') }, example: METADATA_EXAMPLE },
      },
    },
    400: failure('A parameter is missing or invalid.', {
      url: 'Invalid URL: must start with http:// or https://',
      timeout: `Invalid timeout: must be ${FETCH_TIMEOUT_RULE}`,
      cache: 'Invalid cache: must be true or false',
      language: `Invalid language: must be ${ACCEPT_LANGUAGE_RULE}`,
      fields: `Invalid fields: must be ${extraRule(EXTRA_NAMES)}`,
      browserCache: BROWSER_KEY_REFUSALS.cache,
    }),
    401: failure(
      'The API key is missing, or it is unknown, deactivated or expired.',
      { missing: 'Missing API key', bearer: 'Missing API key; send it in X-API-Key', invalid: 'Invalid API key' },
      CHALLENGE,
    ),
    403: failure('A restriction of the key does not allow the request. It does not count against any limit.', {
      ...mapAllowLists((list) => notAllowed(list).message),
      method: BROWSER_KEY_REFUSALS.method,
    }),
    404: failure('There is no such path.', { path: 'Not found' }),
    405: failure(
      'The method is neither GET nor HEAD.',
      { method: 'Method not allowed' },
      { Allow: text('The methods that the path supports.', 'GET, HEAD') },
    ),
    429: failure(
      'The per-minute or monthly limit is reached, or a limit per client address: of requests without a valid key, or of ' +
        'requests with a key that is limited to origins. Retry after `Retry-After` seconds; without that header, ' +
        'the month is used up until `X-Monthly-Reset`.',
      { minute, month, authentication, visitor },
      limitHeaders(plan),
    ),
    500: failure(
      'An internal error. The log has the details under the request id. The request does not count against the monthly ' +
        'limit. Retry after 1 second, then after 2, 4 and so on.',
      { internal: 'Internal server error' },
    ),
    502: failure(
      'The page could not be fetched. The request does not count against the monthly limit, and the failure is not ' +
        'cached. Retry timeouts, connection failures, HTTP 429 and 5xx, and `too many requests are waiting` a few times ' +
        'in growing intervals. Other failures usually persist.',
      {
        status: 'Failed to fetch URL: HTTP 404',
        timeout: `Failed to fetch URL: timed out after ${FETCH_TIMEOUT_MS.default} ms`,
        host: 'Failed to fetch URL: host not found',
        address: 'Failed to fetch URL: address not allowed',
        overloaded: 'Failed to fetch URL: too many requests are waiting',
        notProcessed: 'Failed to fetch URL: page could not be processed',
        blocked: 'Failed to fetch URL: blocked by the site',
      },
    ),
  }
}

/** The responses of `GET /v1/image` by status. `plan` is used in the examples. */
export function imageResponses(plan: Plan): Record<string, ResponseObject> {
  const { 405: method, 500: internal } = metadataResponses(plan)
  const visitor = clientLimitMessage('visitor_limit', IMAGES_PER_RESPONSE * EXAMPLE_VISITOR_PER_MINUTE)
  const key = clientLimitMessage('image_limit', IMAGES_PER_RESPONSE * plan.perMinute)
  return {
    200: {
      description: 'The image. Its type is determined from its bytes; SVG is not supported.',
      headers: { ...COMMON_HEADERS, 'Cache-Control': text('At most a day.', 'public, max-age=86400') },
      content: { 'image/*': {} },
    },
    401: failure('The key of the link is deactivated or expired.', { invalid: 'Invalid API key' }, CHALLENGE),
    403: failure('The link has expired, or the service did not create it.', {
      signature: 'Invalid signature',
      expired: 'The link to this image has expired',
    }),
    404: failure('The service does not proxy images.', { off: 'Not found' }),
    405: method!,
    429: failure(
      'Too many images in this minute, for the client address, the key or the user of the key.',
      { visitor, key },
      RETRY_AFTER,
    ),
    500: internal!,
    502: failure('The image could not be fetched, or it is not an image that browsers can show.', {
      status: 'Failed to fetch image: HTTP 404',
      type: 'Failed to fetch image: image/svg+xml is not supported',
    }),
  }
}

/** The responses to HEAD, which have no bodies. */
export function withoutBodies(responses: Record<string, ResponseObject>): Record<string, ResponseObject> {
  return mapValues(responses, ({ description, headers }) => ({ description, headers }))
}
