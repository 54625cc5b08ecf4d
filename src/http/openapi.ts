import { DEFAULT_PLANS } from '../core/plan.ts'
import { ErrorResponse, MetadataQuery, MetadataResponse } from './schema.ts'

/** The version of this description, which changes with the interface and not with the executable. */
const API_VERSION = '1.0.0'

const integer = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0, examples: [example] },
})

const RATE_LIMIT_HEADERS = {
  'X-RateLimit-Limit': integer("Requests per minute that the key's plan allows.", 10),
  'X-RateLimit-Remaining': integer('Requests left in the current clock minute.', 9),
  'X-RateLimit-Reset': integer('Unix second at which the next minute begins.', 1_795_176_060),
}

const ANSWER_HEADERS = {
  ...RATE_LIMIT_HEADERS,
  'X-Monthly-Limit': integer("Requests per calendar month (UTC) that the user's plan allows.", 1_000),
  'X-Monthly-Used': integer('Requests used this month, this one included.', 1),
  'X-Monthly-Remaining': integer('Requests left this month.', 999),
  'X-Cache': {
    description: 'Whether the answer came from the cache.',
    required: true,
    schema: { type: 'string', enum: ['HIT', 'MISS'] },
  },
  'X-Provisional': {
    description:
      '`true` when the page wanted a browser and none was free or no time was left, or when its favicon could not be ' +
      'looked for in time. Such an answer is not cached: the same request may get a better one later.',
    required: false,
    schema: { type: 'string', enum: ['true'] },
  },
}

const failure = (description: string, examples: Record<string, string>, headers?: object) => ({
  description,
  ...(headers && { headers }),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/ErrorResponse' },
      examples: Object.fromEntries(Object.entries(examples).map(([name, error]) => [name, { value: { error } }])),
    },
  },
})

const RESPONSES = {
  200: {
    description: 'What the page says of itself.',
    headers: ANSWER_HEADERS,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/MetadataResponse' },
        example: {
          url: 'https://example.com/article?utm_source=feed',
          canonical_url: 'https://example.com/article',
          title: 'An article',
          description: 'What the article says.',
          image: 'https://example.com/cover.png',
          favicon: 'https://example.com/favicon.ico',
          site_name: 'Example',
          type: 'article',
          locale: 'en_US',
          twitter_card: { card: 'summary_large_image', site: '@example' },
          meta: { author: 'Jo Doe', published_time: '2026-11-01T08:00:00Z' },
          fetched_at: '2026-11-20T12:00:00.000Z',
          fetch_method: 'http',
          response_time_ms: 184,
        },
      },
    },
  },
  400: failure('A parameter is missing or invalid.', {
    url: 'Invalid URL: must start with http:// or https://',
    timeout: 'Invalid timeout: must be an integer from 1 to 15000',
    cache: 'Invalid cache: must be true or false',
  }),
  401: failure('The API key is missing or invalid.', { missing: 'Missing API key', invalid: 'Invalid API key' }),
  429: failure(
    'The minute or the month is used up. `Retry-After` and `X-RateLimit-*` come with the minute, `X-Monthly-*` with the month.',
    {
      minute: 'Rate limit exceeded: 10 requests per minute allowed on the Free plan. Retry in 42 seconds.',
      month: 'Monthly limit reached: 1000/1000 requests used. Upgrade your plan to continue.',
    },
    optional({
      'Retry-After': integer('Seconds until the next minute; only when the minute is used up.', 42),
      ...RATE_LIMIT_HEADERS,
      'X-Monthly-Limit': integer('Requests per month; only when the month is used up.', 1_000),
      'X-Monthly-Used': integer('Requests used; only when the month is used up.', 1_000),
      'X-Monthly-Reset': {
        description: 'First instant of the next month; only when the month is used up.',
        required: true,
        schema: { type: 'string', format: 'date-time', examples: ['2026-12-01T00:00:00Z'] },
      },
    }),
  ),
  500: failure('Something failed here; the log has the details.', { internal: 'Internal server error' }),
  502: failure('The page could not be read. Such a request is not charged to the month.', {
    status: 'Failed to fetch URL: HTTP 404',
    timeout: 'Failed to fetch URL: timed out after 5000 ms',
    host: 'Failed to fetch URL: host not found',
    address: 'Failed to fetch URL: address not allowed',
  }),
  503: failure(
    'More requests are waiting than can be answered in time. Such a request is not charged to the month.',
    { overloaded: 'Too many requests are waiting' },
    { 'Retry-After': integer('Seconds after which to try again.', 15) },
  ),
}

function optional(headers: Record<string, object>) {
  return Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]))
}

const requiredNames: readonly string[] = MetadataQuery.required ?? []

const parameters = Object.entries(MetadataQuery.properties).map(([name, { description, ...schema }]) => ({
  name,
  in: 'query',
  required: requiredNames.includes(name),
  description,
  schema,
}))

const SUMMARY_OF_LIMITS = Object.values(DEFAULT_PLANS)
  .map(({ label, perMinute, perMonth, maxKeys }) => `| ${label} | ${perMinute} | ${perMonth} | ${maxKeys} |`)
  .join('\n')

/** The OpenAPI 3.1 document of the service at `baseUrl`, from the schemas that check and describe. */
export function openapiDocument(baseUrl: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'urlmeta',
      version: API_VERSION,
      summary: 'What a web page says of itself, as JSON.',
      description:
        'Give it a URL and an API key; it answers with title, description, image, favicon and more.\n\n' +
        'Default limits (the operator may have changed them):\n\n' +
        `| Plan | Requests per minute and key | Answers per month and user | Active keys |\n|---|---|---|---|\n${SUMMARY_OF_LIMITS}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ header: [] }, { query: [] }],
    paths: {
      '/v1/metadata': {
        get: {
          operationId: 'getMetadata',
          summary: 'Metadata of the page at a URL',
          description:
            'Results are cached for 24 hours by default. Only answers with status 200 count against the month.',
          tags: ['metadata'],
          parameters,
          responses: RESPONSES,
        },
      },
    },
    tags: [{ name: 'metadata', description: 'The one data operation.' }],
    components: {
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Recommended. Wins over the query.' },
        query: {
          type: 'apiKey',
          in: 'query',
          name: 'api_key',
          description: 'Discouraged: URLs end up in access logs and browser histories.',
        },
      },
      schemas: { MetadataResponse, ErrorResponse },
    },
  }
}
