import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/duration.ts'
import { MAX_REQUEST_BODY_BYTES, MAX_REQUEST_HEAD_BYTES } from '../../core/limits.ts'
import { PLAN_NAMES, PLAN_OF_NEW_USERS, type Plans } from '../../core/plan.ts'
import { imageResponses, metadataResponses, withoutBodies } from './openapi-responses.ts'
import { ErrorResponse, EXTRA_SCHEMAS, GROUP_SCHEMAS, MetadataQuery, MetadataResponse } from './schema.ts'

/** The version of the API, independent of the version of the executable. */
const API_VERSION = '1.0.0'

export interface ApiSettings {
  baseUrl: string
  plans: Plans
  cacheTtlMs: number
}

const requiredNames: readonly string[] = MetadataQuery.required ?? []

const PARAMETERS = [
  ...Object.entries(MetadataQuery.properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: requiredNames.includes(name),
    description,
    schema,
  })),
  {
    name: 'api_key',
    in: 'query',
    required: false,
    deprecated: true,
    description:
      'The API key, for clients that cannot send headers. URLs end up in access logs and browser histories: prefer ' +
      'the `X-API-Key` header, which takes precedence when both are sent.',
    schema: { type: 'string' },
  },
]

/** The OpenAPI 3.1 document of a service with these settings. */
export function openapiDocument({ baseUrl, plans, cacheTtlMs }: ApiSettings): object {
  const responses = metadataResponses(plans[PLAN_OF_NEW_USERS])
  const operation = {
    description:
      `Results are cached for ${durationText(cacheTtlMs)}. Only responses with status 200, including cached ones, count ` +
      'against the monthly limit.',
    tags: ['metadata'],
    parameters: PARAMETERS,
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'urlmeta',
      version: API_VERSION,
      summary: 'Metadata for any URL, as JSON.',
      description: descriptionOf(plans),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ header: [] }],
    paths: {
      '/v1/metadata': {
        get: { operationId: 'getMetadata', summary: 'Metadata of the page at a URL', ...operation, responses },
        head: {
          operationId: 'headMetadata',
          summary: 'The status and headers of the same GET request',
          ...operation,
          description: `Fetches the page and counts like GET, without a body. ${operation.description}`,
          responses: withoutBodies(responses),
        },
      },
      '/v1/image': {
        get: {
          operationId: 'getImage',
          summary: 'An image of a page, fetched by the service',
          description:
            'Responses to `fields=pictures` have complete links to images. They need no key and work for at least seven days.',
          tags: ['metadata'],
          security: [],
          parameters: ['url', 'key', 'expires', 'signature'].map((name) => ({
            name,
            in: 'query',
            required: true,
            schema: { type: 'string' },
          })),
          responses: imageResponses(plans[PLAN_OF_NEW_USERS]),
        },
      },
    },
    tags: [{ name: 'metadata', description: 'Metadata of web pages.' }],
    components: {
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key.' },
      },
      schemas: { MetadataResponse, ...GROUP_SCHEMAS, ...EXTRA_SCHEMAS, ErrorResponse },
    },
  }
}

function descriptionOf(plans: Plans): string {
  const limits = PLAN_NAMES.map((name) => {
    const { label, perMinute, perMonth, maxKeys } = plans[name]
    return `| ${label} | ${perMinute} | ${perMonth} | ${maxKeys} |`
  })
  const head = ['| Plan | Requests per minute per key | Requests per month | Active keys |', '|---|---|---|---|']
  return [
    'Returns title, description, image, favicon and more of the page at a URL. Requests require an API key.',
    'Errors of the service are JSON: `{ "error": "…" }`. The HTTP server rejects three kinds of requests before ' +
      `they reach the service, without a body: malformed ones (400), bodies over ${MAX_REQUEST_BODY_BYTES / 1024} KB (413) and ` +
      `URLs and headers over ${MAX_REQUEST_HEAD_BYTES / 1024} KB together (431).`,
    'This version of the API is stable: parameters, properties, headers, statuses and error messages keep their meaning. ' +
      'Further ones may be added; ignore unknown properties.',
    'Limits of the plans:',
    [...head, ...limits].join('\n'),
  ].join('\n\n')
}

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const

/** `24 hours`, `7 days`, `90 seconds`: in the largest unit that gives a whole number of at least 2, or else 1. */
function durationText(ms: number): string {
  const whole = UNITS.filter(([, unitMs]) => ms % unitMs === 0)
  const [unit, unitMs] = whole.find(([, size]) => ms >= 2 * size) ?? whole[0] ?? ['second', 1_000]
  const count = ms / unitMs
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
