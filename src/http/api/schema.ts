// Uses TypeBox directly, because Elysia's variant accepts text for numbers and booleans.
import { type TSchema, Type as t } from '@sinclair/typebox'

import { EXTRA, EXTRA_NAMES, extraRule } from '../../core/extract/fields/extra.ts'
import { nested } from '../../core/extract/fields/metadata.ts'
import { FIELDS, type GroupName, GROUPS } from '../../core/extract/fields/fields.ts'
import type { FetchMethod } from '../../core/fetch/page-result.ts'
import { MAX_LANGUAGE_CHARACTERS } from '../../core/net/language.ts'
import { FETCH_TIMEOUT_MS, MAX_URL_CHARACTERS } from '../../core/limits.ts'
import { mapValues } from './map-values.ts'

export const MetadataQuery = t.Object({
  url: t.String({
    format: 'uri',
    maxLength: MAX_URL_CHARACTERS,
    description:
      'The page to fetch. Must begin with `http://` or `https://`. Percent-encode it; otherwise the part after its ' +
      'first `&` is lost. robots.txt is not read, because it is for ' +
      'crawlers, and a page is only requested when a client asks for it.',
    examples: ['https://example.com/article'],
  }),
  timeout: t.Optional(
    t.Integer({
      ...FETCH_TIMEOUT_MS,
      description: 'How long the fetch may take, in milliseconds, including redirects and DNS lookups.',
    }),
  ),
  cache: t.Optional(
    t.Boolean({
      default: true,
      description: '`false` bypasses the cache: the page is fetched again, and the new result is cached.',
    }),
  ),
  language: t.Optional(
    t.String({
      maxLength: MAX_LANGUAGE_CHARACTERS,
      description:
        'The languages to ask the site for, as in an `Accept-Language` header (RFC 9110); by default those that the ' +
        'service is configured for. Results are cached by language.',
    }),
  ),
  fields: t.Optional(
    t.String({
      description: `Adds the object \`extra\` with these fields: ${extraRule(EXTRA_NAMES)}. Nothing more is fetched for them.`,
      examples: ['final_url,image_size'],
    }),
  ),
})

const EXAMPLE_TIME = '2026-11-20T12:00:00.000Z'

const fieldSchemas = FIELDS.map(({ path, description, example }) => {
  const schema = t.Optional(t.String({ description, examples: [example] }))
  return [path, schema] as const
})

/** Objects within the response, by their schema's name: `TwitterCard`. Further properties may be added. */
export const GROUP_SCHEMAS = Object.fromEntries(
  Object.entries(GROUPS).map(([group, { schemaName, description }]) => {
    const members = fieldSchemas.filter(([path]) => path.startsWith(`${group}.`))
    const properties = Object.fromEntries(members.map(([path, schema]) => [path.slice(group.length + 1), schema]))
    return [schemaName, t.Object(properties, { description })]
  }),
)

/** The properties that are read from the page, in the order of `FIELDS`. */
const pageMembers = Object.fromEntries(
  fieldSchemas.map(([path, schema]) => {
    const [name = path, property] = path.split('.')
    if (property === undefined) return [name, schema]
    return [name, t.Optional(t.Ref(schemaReference(GROUPS[name as GroupName].schemaName)))]
  }),
)

export const MetadataResponse = t.Object({
  url: t.String({ description: 'The URL as requested.', examples: ['https://example.com/article'] }),
  ...pageMembers,
  fetched_at: t.String({
    format: 'date-time',
    description: 'When the metadata was fetched.',
    examples: [EXAMPLE_TIME],
  }),
  fetch_method: t.Unsafe<FetchMethod>({
    type: 'string',
    enum: ['http', 'headless'],
    description: 'How the page was fetched.',
  }),
  response_time_ms: t.Integer({
    format: 'int64',
    minimum: 0,
    description: 'How long the fetch took, in milliseconds.',
    examples: [184],
  }),
  extra: t.Optional(t.Ref(schemaReference('Extra'))),
})

/** The schema of an example, which is a string, an integer, or an object of strings and integers. */
function schemaOf(example: unknown, description?: string, required: readonly string[] = []): TSchema {
  if (typeof example === 'string') return t.String({ ...(description && { description }), examples: [example] })
  if (typeof example === 'number') return t.Integer({ minimum: 1, examples: [example] })
  const members = Object.entries(example as object).map(([name, value]) => {
    const schema = schemaOf(value)
    return [name, required.includes(name) ? schema : t.Optional(schema)]
  })
  return t.Object(Object.fromEntries(members) as Record<string, TSchema>, { ...(description && { description }) })
}

/** The object `extra` and the objects within it, by their schemas' names. Further properties may be added. */
export const EXTRA_SCHEMAS = {
  Extra: t.Object(
    mapValues(EXTRA, ({ description, example, object }) =>
      t.Optional(object ? t.Ref(schemaReference(object.schemaName)) : schemaOf(example, description)),
    ),
    { description: 'The fields that `fields` names. Only in responses to requests with this parameter.' },
  ),
  ...Object.fromEntries(
    Object.values(EXTRA).flatMap(({ description, example, object }) =>
      object ? [[object.schemaName, schemaOf(example, description, object.required)]] : [],
    ),
  ),
}

/** The JSON Schema of a response, complete without the OpenAPI document. */
export function metadataSchema(): object {
  const schema = { ...MetadataResponse, $defs: { ...GROUP_SCHEMAS, ...EXTRA_SCHEMAS } }
  return JSON.parse(JSON.stringify(schema).replaceAll(schemaReference(''), '#/$defs/'))
}

/** A response with every field, from the examples in the table. */
export const METADATA_EXAMPLE = {
  url: 'https://example.com/article?utm_source=feed',
  ...nested(FIELDS.map(({ path, example }) => [path, example])),
  fetched_at: EXAMPLE_TIME,
  fetch_method: 'http',
  response_time_ms: 184,
}

export const ErrorResponse = t.Object({
  error: t.String({ description: 'A human-readable description of the error.' }),
})

export function schemaReference(name: string): string {
  return `#/components/schemas/${name}`
}
