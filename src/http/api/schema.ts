import { EXTRA } from '../../core/extract/fields/extra.ts'
import { nested } from '../../core/extract/fields/metadata.ts'
import { FIELDS, GROUPS } from '../../core/extract/fields/fields.ts'
import { mapValues } from './map-values.ts'

const EXAMPLE_TIME = '2026-11-20T12:00:00.000Z'

const REFERENCE_PREFIX = '#/components/schemas/'

const reference = (name: string) => ({ $ref: REFERENCE_PREFIX + name })

const textSchema = (description: string, example: unknown) => ({ description, examples: [example], type: 'string' })

/** The schemas of the properties that are read from the page, in the order of `FIELDS`. */
const pageSchemas = nested(
  FIELDS.map(({ path, description, example }) => [path, textSchema(description, example)] as const),
)

const groupSchemas = Object.entries(GROUPS).map(([name, { schemaName, description }]) => {
  return [schemaName, { description, type: 'object', properties: pageSchemas[name] }]
})

const MetadataResponse = {
  type: 'object',
  required: ['url', 'fetched_at', 'fetch_method', 'response_time_ms'],
  properties: {
    url: textSchema('The URL as requested.', 'https://example.com/article'),
    ...pageSchemas,
    ...mapValues(GROUPS, ({ schemaName }) => reference(schemaName)),
    fetched_at: { format: 'date-time', ...textSchema('When the metadata was fetched.', EXAMPLE_TIME) },
    fetch_method: { type: 'string', enum: ['http', 'headless'], description: 'How the page was fetched.' },
    response_time_ms: {
      format: 'int64',
      minimum: 0,
      description: 'How long the fetch took, in milliseconds.',
      examples: [184],
      type: 'integer',
    },
    extra: reference('Extra'),
  },
}

const Extra = {
  description: 'The fields that `fields` names. Only in responses to requests with this parameter.',
  type: 'object',
  properties: mapValues(EXTRA, ({ description, example, object }) =>
    object ? reference(object.schemaName) : textSchema(description, example),
  ),
}

/** Objects within `extra`, by the names of their schemas. */
const extraSchemas = Object.values(EXTRA).flatMap(({ description, example, object }) => {
  if (object === undefined) return []
  const { schemaName, required } = object
  const properties = mapValues(Object(example), memberSchema)
  return [[schemaName, { description, type: 'object', ...(required.length > 0 && { required }), properties }]]
})

function memberSchema(example: unknown) {
  const examples = [example]
  return typeof example === 'number' ? { minimum: 1, examples, type: 'integer' } : { examples, type: 'string' }
}

/** The schemas of responses with status 200 by name: `MetadataResponse` and its objects, which may get more properties. */
export const RESPONSE_SCHEMAS = {
  MetadataResponse,
  ...Object.fromEntries(groupSchemas),
  Extra,
  ...Object.fromEntries(extraSchemas),
}

/** The JSON Schema of a response, complete without the OpenAPI document. */
export function metadataSchema(): object {
  const { MetadataResponse: schema, ...$defs } = RESPONSE_SCHEMAS
  return JSON.parse(JSON.stringify({ ...schema, $defs }).replaceAll(REFERENCE_PREFIX, '#/$defs/'))
}

/** A response with every field, from the examples in the table. */
export const METADATA_EXAMPLE = {
  url: 'https://example.com/article?utm_source=feed',
  ...nested(FIELDS.map(({ path, example }) => [path, example])),
  fetched_at: EXAMPLE_TIME,
  fetch_method: 'http',
  response_time_ms: 184,
}
