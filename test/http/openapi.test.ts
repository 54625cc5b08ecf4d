import { describe, expect, test } from 'bun:test'

import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'

import { openapiDocument } from '../../src/http/openapi.ts'
import { startApp } from './app.ts'

interface Operation {
  operationId: string
  parameters: { name: string; required: boolean }[]
  responses: Record<string, { headers?: Record<string, { required: boolean }>; content: Record<string, Content> }>
}

interface Content {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

interface Document {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  paths: Record<string, { get: Operation }>
  components: { schemas: Record<string, object> }
}

const document = openapiDocument('https://meta.example') as Document
const operation = document.paths['/v1/metadata']!.get

function validatorOf(status: number) {
  const ajv = new Ajv2020({ strict: false })
  addFormats(ajv, ['date-time', 'int64', 'uri'])
  const name = status === 200 ? 'MetadataResponse' : 'ErrorResponse'
  return ajv.compile(JSON.parse(JSON.stringify(document.components.schemas[name])))
}

describe('the OpenAPI document', () => {
  test('is valid 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    expect(result).toMatchObject({ valid: true })
    expect(document.openapi).toBe('3.1.0')
  })

  test('has the names of the specification', () => {
    expect(document.info.version).toBe('1.0.0')
    expect(document.servers).toEqual([{ url: 'https://meta.example' }])
    expect(operation.operationId).toBe('getMetadata')
    expect(operation.parameters.map(({ name, required }) => [name, required])).toEqual([
      ['url', true],
      ['timeout', false],
      ['cache', false],
    ])
    expect(Object.keys(operation.responses)).toEqual(['200', '400', '401', '429', '500', '502', '503'])
  })

  test.each(Object.entries(operation.responses))('the examples for %s fit their schema', (status, { content }) => {
    const { example, examples = {} } = content['application/json']!
    const all = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)]
    expect(all.length).toBeGreaterThan(0)
    const validate = validatorOf(Number(status))
    for (const one of all) expect([validate(one), validate.errors]).toEqual([true, null])
  })

  test('is served, with the public address', async () => {
    await using app = await startApp({ env: { URLMETA_BASE_URL: 'https://meta.example' } })
    const response = await fetch(`${app.url}/openapi.json`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)))
  })

  test('live answers fit it: body, and every header it calls required', async () => {
    await using app = await startApp({
      env: { URLMETA_PLAN_FREE_PER_MONTH: '1' },
      origin: (request) => new Response('<title>T</title>', { status: request.url.endsWith('/gone') ? 410 : 200 }),
    })
    const key = await app.newKey()
    const responses = [
      await app.metadata(key, '/gone'),
      await app.metadata(key, '/page'),
      await app.metadata(key, '/page'),
      await app.metadata(key, '/page', { cache: 'no' }),
      await app.metadata('none', '/page'),
    ]
    expect(responses.map(({ status }) => status)).toEqual([502, 200, 429, 400, 401])
    for (const response of responses) {
      const validate = validatorOf(response.status)
      expect([validate(await response.json()), validate.errors]).toEqual([true, null])
      const described = operation.responses[response.status]!.headers ?? {}
      for (const [name, { required }] of Object.entries(described)) {
        if (required) expect([name, response.headers.has(name)]).toEqual([name, true])
      }
    }
  })
})
