import { describe, expect, test } from 'bun:test'

import { parseAllowRule } from '../../../src/core/net/egress.ts'
import { createMetadataQueryParser } from '../../../src/http/api/metadata-query.ts'
import { settingsOf } from '../../settings.ts'

const KEY = `urlmeta_live_${'0'.repeat(32)}`

describe('a query', () => {
  test('that is valid is parsed and checked once', () => {
    const parse = createMetadataQueryParser(settingsOf())
    const first = parse('?url=https%3A%2F%2Fexample.com%2F&timeout=100&cache=false')
    expect(first).toMatchObject({
      urlJson: '"https://example.com/"',
      host: 'example.com',
      timeoutMs: 100,
      readCache: false,
    })
    expect(parse('?url=https%3A%2F%2Fexample.com%2F&timeout=100&cache=false')).toBe(first)
  })

  test.each([
    ['another URL', '?url=https%3A%2F%2Fexample.com%2Fb'],
    ['another timeout', '?url=https%3A%2F%2Fexample.com%2F&timeout=100'],
    ['another value of cache', '?url=https%3A%2F%2Fexample.com%2F&cache=false'],
    ['another spelling of the same URL', '?url=https://example.com/'],
  ])('with %s is another query', (_, search) => {
    const parse = createMetadataQueryParser(settingsOf())
    const first = parse('?url=https%3A%2F%2Fexample.com%2F')
    expect(parse(search)).not.toBe(first)
  })

  test.each([
    ['a key', `?url=https%3A%2F%2Fexample.com%2F&api_key=${KEY}`],
    ['a key under an escaped name', `?url=https%3A%2F%2Fexample.com%2F&api%5Fkey=${KEY}`],
  ])('with %s is not cached', (_, search) => {
    const parse = createMetadataQueryParser(settingsOf())
    expect(parse(search)).not.toBe(parse(search))
  })

  test('is checked again under another allow-list', () => {
    let settings = settingsOf({ allow: [parseAllowRule('10.0.0.1')!] })
    const parse = createMetadataQueryParser(() => settings())
    const query = '?url=http://10.0.0.1/'
    expect(parse(query)).toBe(parse(query))
    settings = settingsOf()
    expect(() => parse(query)).toThrow('Invalid URL: the address is private or reserved')
  })

  test('that is invalid is rejected every time', () => {
    const parse = createMetadataQueryParser(settingsOf())
    for (const _ of [1, 2]) expect(() => parse('?url=nonsense')).toThrow('Invalid URL: ')
  })
})
