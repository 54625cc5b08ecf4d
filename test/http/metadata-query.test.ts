import { describe, expect, test } from 'bun:test'

import { createMetadataQueryParser } from '../../src/http/metadata-query.ts'

const asked = (search: string) => new Request(`http://localhost/v1/metadata${search}`)
const KEY = `urlmeta_live_${'0'.repeat(32)}`

describe('a query', () => {
  test('that is valid is parsed and checked once', () => {
    const parse = createMetadataQueryParser([])
    const first = parse(asked('?url=https%3A%2F%2Fexample.com%2F&timeout=100&cache=false'))
    expect(first).toMatchObject({ url: 'https://example.com/', timeoutMs: 100, readCache: false })
    expect(parse(asked('?url=https%3A%2F%2Fexample.com%2F&timeout=100&cache=false'))).toBe(first)
  })

  test.each([
    ['another URL', '?url=https%3A%2F%2Fexample.com%2Fb'],
    ['another timeout', '?url=https%3A%2F%2Fexample.com%2F&timeout=100'],
    ['another value of cache', '?url=https%3A%2F%2Fexample.com%2F&cache=false'],
    ['another spelling of the same URL', '?url=https://example.com/'],
  ])('with %s is another query', (_, search) => {
    const parse = createMetadataQueryParser([])
    const first = parse(asked('?url=https%3A%2F%2Fexample.com%2F'))
    expect(parse(asked(search))).not.toBe(first)
  })

  test.each([
    ['a key', `?url=https%3A%2F%2Fexample.com%2F&api_key=${KEY}`],
    ['a key under an escaped name', `?url=https%3A%2F%2Fexample.com%2F&api%5Fkey=${KEY}`],
  ])('with %s is not cached', (_, search) => {
    const parse = createMetadataQueryParser([])
    expect(parse(asked(search))).not.toBe(parse(asked(search)))
  })

  test('that is invalid is rejected every time', () => {
    const parse = createMetadataQueryParser([])
    for (const _ of [1, 2]) expect(() => parse(asked('?url=nonsense'))).toThrow('Invalid URL: ')
  })
})
