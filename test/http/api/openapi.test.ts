import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { Validator } from '@seriousme/openapi-schema-validator'
import { parse } from 'node-html-parser'

import { EXTRA_NAMES } from '../../../src/core/extract/fields/extra.ts'
import { FIELDS } from '../../../src/core/extract/fields/fields.ts'
import { DEFAULT_PLANS } from '../../../src/core/plan.ts'
import { type ApiSettings, documentValues, openapiDocument } from '../../../src/http/api/openapi.ts'
import template from '../../../src/http/api/openapi.yaml'
import { startApp } from '../app.ts'
import { validatorOf } from '../response-validator.ts'

interface Operation {
  operationId: string
  description: string
  parameters: { name: string; in: string; description?: string; required: boolean; deprecated?: boolean }[]
  responses: Record<string, Described>
}

interface Described {
  headers: Record<string, { required: boolean; schema: object }>
  content?: Record<string, Content>
}

interface Content {
  schema: { $ref: string }
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

interface Document {
  openapi: string
  info: { version: string; description: string }
  servers: { url: string }[]
  security: object[]
  paths: Record<string, { get: Operation; head: Operation }>
  components: { securitySchemes: object; schemas: Record<string, object> }
}

interface Schema {
  properties: Record<string, object>
}

const SETTINGS: ApiSettings = { baseUrl: 'https://meta.example', plans: DEFAULT_PLANS, cacheTtlMs: 86_400_000 }

const documentOf = (settings: Partial<ApiSettings> = {}) =>
  // Serialized, as clients receive it.
  JSON.parse(JSON.stringify(openapiDocument({ ...SETTINGS, ...settings }))) as Document

const document = documentOf()
const { get, head } = document.paths['/v1/metadata']!

const validate = (response: Described, value: unknown, { strict = true } = {}) => {
  const name = contentOf(response).schema.$ref.slice('#/components/schemas/'.length)
  const check = validatorOf(document, name, { strict })
  return check(value) ? [] : check.errors
}

const contentOf = ({ content }: Described) => content!['application/json']!

describe('the OpenAPI document', () => {
  test('is valid 3.1', async () => {
    const result = await new Validator().validate({ ...document })
    expect(result).toMatchObject({ valid: true })
    expect(document.openapi).toBe('3.1.0')
  })

  test('has each value of openapi.ts in openapi.yaml, and no other', () => {
    const names = [...JSON.stringify(template).matchAll(/\$\{(.*?)\}/g)].map(([, name]) => name!)
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(documentValues(SETTINGS)).toSorted())
    expect(JSON.stringify(document)).not.toContain('${')
  })

  test('has settings as they are, even if they look like the name of a value', () => {
    const free = { ...DEFAULT_PLANS.free, label: '$& ${perMonth} "A"' }
    const { info, servers } = documentOf({ baseUrl: 'https://${perMonth}.example', plans: { ...DEFAULT_PLANS, free } })
    expect(servers).toEqual([{ url: 'https://${perMonth}.example' }])
    expect(info.description).toContain('| $& ${perMonth} "A" | 10 | 1000 | 2 |')
  })

  test('has the names of the specification', () => {
    expect(document.info.version).toBe('1.0.0')
    expect(document.servers).toEqual([{ url: 'https://meta.example' }])
    expect(get.operationId).toBe('getMetadata')
    expect(get.parameters.map(({ name, required, deprecated = false }) => [name, required, deprecated])).toEqual([
      ['url', true, false],
      ['timeout', false, false],
      ['cache', false, false],
      ['language', false, false],
      ['fields', false, false],
      ['api_key', false, true],
    ])
    expect(Object.keys(get.responses)).toEqual(['200', '400', '401', '403', '404', '405', '429', '500', '502'])
  })

  test('has the parameters, error statuses and headers of docs/api.md', async () => {
    const page = await Bun.file(join(import.meta.dir, '../../../docs/api.md')).text()
    const parameters = [...page.matchAll(/^\| `([a-z]+)` /gm)].map(([, name]) => name!)
    expect([...parameters, 'api_key']).toEqual(get.parameters.map(({ name }) => name))
    const statuses = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, status]) => status)
    expect(['200', ...statuses]).toEqual(Object.keys(get.responses))
    const headers = new Set(Object.values(get.responses).flatMap((response) => Object.keys(response.headers)))
    expect([...headers].filter((name) => !page.includes(`\`${name}`))).toEqual([])
  })

  test('describes each parameter, and has no empty description', () => {
    expect(get.parameters.filter(({ description = '' }) => description === '')).toEqual([])
    expect(JSON.stringify(document)).not.toContain('"description":""')
  })

  test('has a message for each parameter that can be invalid', () => {
    const messages = JSON.stringify(get.responses['400'])
    const names = get.parameters.map(({ name }) => name).filter((name) => name !== 'api_key')
    expect(names.filter((name) => !messages.includes(`Invalid ${name === 'url' ? 'URL' : name}: must `))).toEqual([])
  })

  test('declares the key in the header only', () => {
    expect(document.security).toEqual([{ header: [] }])
    expect(Object.keys(document.components.securitySchemes)).toEqual(['header'])
  })

  test('describes HEAD like GET, without bodies', () => {
    expect(head.description).toEndWith(get.description)
    expect(head.parameters).toEqual(get.parameters)
    expect(Object.keys(head.responses)).toEqual(Object.keys(get.responses))
    for (const [status, { content, headers }] of Object.entries(head.responses)) {
      expect(content).toBeUndefined()
      expect(headers).toEqual(get.responses[status]!.headers)
    }
  })

  test('has the fields of the tables in their order, and an example of each', () => {
    const { MetadataResponse, TwitterCard, MetaDetails, Extra } = document.components.schemas as Record<string, Schema>
    const names = (schema?: Schema) => Object.keys(schema!.properties)
    const own = ['url', 'fetched_at', 'fetch_method', 'response_time_ms', 'extra']
    const nestedIn: Record<string, Schema | undefined> = { twitter_card: TwitterCard, meta: MetaDetails }
    const paths = names(MetadataResponse).flatMap((name) =>
      nestedIn[name] ? names(nestedIn[name]).map((inner) => `${name}.${inner}`) : [name],
    )
    expect(paths.filter((path) => !own.includes(path))).toEqual(FIELDS.map(({ path }) => path))
    expect(names(Extra)).toEqual([...EXTRA_NAMES])
    const { extra: _extra, ...properties } = MetadataResponse!.properties
    const example = contentOf(get.responses['200']!).example as Record<string, unknown>
    expect(Object.keys(example)).toEqual(Object.keys(properties))
    for (const [name, schema] of Object.entries(nestedIn)) expect(Object.keys(example[name]!)).toEqual(names(schema))
  })

  test('names the schemas of objects, which allow further properties', () => {
    expect(Object.keys(document.components.schemas)).toEqual([
      'MetadataResponse',
      'TwitterCard',
      'MetaDetails',
      'Extra',
      'ImageSize',
      'Player',
      'Pictures',
      'ErrorResponse',
    ])
    expect(JSON.stringify(document)).not.toContain('additionalProperties')
    const success = get.responses['200']!
    const later = { ...(contentOf(success).example as object), words: 812 }
    expect(validate(success, later, { strict: false })).toBeEmpty()
    expect(validate(success, later)).not.toBeEmpty()
  })

  test('has whole numbers for sizes', () => {
    const size = { type: 'integer', minimum: 1 }
    expect(document.components.schemas['ImageSize']).toMatchObject({
      properties: { width: size, height: size },
      required: ['width', 'height'],
    })
    expect(document.components.schemas['Player']).toMatchObject({ properties: { width: size, height: size } })
  })

  test('declares X-Request-Id for every status, Allow for 405 and X-Provisional for 200', () => {
    for (const { headers } of Object.values(get.responses)) expect(headers['X-Request-Id']?.required).toBe(true)
    expect(get.responses['405']!.headers['Allow']?.required).toBe(true)
    expect(get.responses['200']!.headers['X-Provisional']).toMatchObject({
      required: false,
      schema: { type: 'boolean', enum: [true] },
    })
  })

  test('says when to retry, which language is requested, and what is stable; and /docs says it too', async () => {
    await using app = await startApp()
    const page = parse(await (await fetch(`${app.url}/docs`)).text()).textContent.replaceAll(/\s+/g, ' ')
    const texts = [
      ['429', 'Retry after Retry-After seconds'],
      ['500', 'Retry after 1 second, then after 2, 4 and so on.'],
      ['502', 'the failure is not cached. Retry timeouts, connection failures'],
      [null, 'robots.txt is not read'],
      [null, 'by default those that the service is configured for. Results are cached by language.'],
      [null, 'is stable'],
    ] as const
    for (const [status, text] of texts) {
      const described = JSON.stringify(status === null ? document : get.responses[status]).replaceAll('`', '')
      expect([described, page]).toEqual([expect.stringContaining(text), expect.stringContaining(text)])
    }
  })

  test('has the limits of the configuration', () => {
    const free = { ...DEFAULT_PLANS.free, perMinute: 7, perMonth: 77, maxKeys: 3 }
    const text = JSON.stringify(documentOf({ plans: { ...DEFAULT_PLANS, free }, cacheTtlMs: 5_400_000 }))
    for (const part of [
      '| Free | 7 | 77 | 3 |',
      'cached for 90 minutes',
      'Rate limit exceeded: 7 requests per minute allowed on the Free plan.',
      'Monthly limit reached: 77/77 requests used.',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toContain('24 hours')
  })

  test.each([
    [1_000, '1 second'],
    [90_000, '90 seconds'],
    [60_000, '60 seconds'],
    [120_000, '2 minutes'],
    [86_400_000, '24 hours'],
    [604_800_000, '7 days'],
  ])('writes a lifetime of %d ms as %s', (cacheTtlMs, text) => {
    expect(JSON.stringify(documentOf({ cacheTtlMs }))).toContain(`cached for ${text}.`)
  })

  test.each(Object.entries(get.responses))('the examples for %s fit their schema', (_status, response) => {
    const { example, examples = {} } = contentOf(response)
    const all = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)]
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      expect(validate(response, one)).toBeEmpty()
      expect(JSON.stringify(one)).not.toContain('""')
    }
  })

  test('is the same at /openapi.json and from the command', async () => {
    const env = { URLMETA_BASE_URL: 'https://meta.example', URLMETA_CACHE_TTL: '2h', URLMETA_PLAN_FREE_KEYS: '9' }
    await using app = await startApp({ env })
    const response = await fetch(`${app.url}/openapi.json`)
    expect(response.headers.get('content-type')).toBe('application/json')
    const served = await response.json()
    expect(JSON.stringify(served)).toContain('| Free | 10 | 1000 | 9 |')
    const main = join(import.meta.dir, '../../../src/main.ts')
    const command = Bun.spawn([process.execPath, main, 'openapi'], {
      env: { ...process.env, ...env },
      cwd: app.dataDir,
    })
    expect(await command.stdout.json()).toEqual(served)
  })

  test('live responses match it, in body and headers, and have nothing else', async () => {
    await using app = await startApp({
      env: { URLMETA_PLAN_FREE_PER_MONTH: '1' },
      origin: (request) => new Response('<title>T</title>', { status: request.url.endsWith('/gone') ? 410 : 200 }),
    })
    const key = await app.createKey()
    const restricted = await app.createKey('ann@example.com', { allowedHosts: ['example.com'] })
    const responses = [
      await app.metadata(restricted, '/page'),
      await app.metadata(key, '/gone'),
      await app.metadata(key, '/page'),
      await app.metadata(key, '/page'),
      await app.metadata(key, '/page', { cache: 'no' }),
      await app.metadata('none', '/page'),
      await fetch(`${app.url}/v1/nothing`),
      await fetch(`${app.url}/v1/metadata`, { method: 'POST' }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([403, 502, 200, 429, 400, 401, 404, 405])
    for (const response of responses) {
      const described = get.responses[response.status]!
      expect(validate(described, await response.json())).toBeEmpty()
      const required = Object.keys(described.headers).filter((name) => described.headers[name]!.required)
      expect(required.filter((name) => !response.headers.has(name))).toEqual([])
      const own = [...response.headers.keys()].filter((name) => name.startsWith('x-') && !GENERAL_HEADERS.has(name))
      const names = Object.keys(described.headers).map((name) => name.toLowerCase())
      expect(own.filter((name) => !names.includes(name))).toEqual([])
    }
  })

  test('a live response to HEAD has the headers it describes and no body', async () => {
    await using app = await startApp()
    const key = await app.createKey()
    const url = `${app.url}/v1/metadata?url=${encodeURIComponent(`${app.origin}/page`)}`
    const response = await fetch(url, { method: 'HEAD', headers: { 'x-api-key': key } })
    const { headers } = head.responses[200]!
    const missing = Object.keys(headers).filter((name) => headers[name]!.required && !response.headers.has(name))
    expect([response.status, missing, await response.text()]).toEqual([200, [], ''])
  })

  test('the HTTP server itself responds with 413 and 431, without a body', async () => {
    await using app = await startApp()
    const path = `${app.url}/v1/metadata`
    const large = await fetch(path, { method: 'POST', body: 'x'.repeat(300_000) })
    const long = await fetch(`${path}?url=${'x'.repeat(17_000)}`)
    expect([large.status, await large.text(), long.status, await long.text()]).toEqual([413, '', 431, ''])
  })
})

/** Headers of every response that are not part of the API. */
const GENERAL_HEADERS: ReadonlySet<string> = new Set(['x-content-type-options'])
