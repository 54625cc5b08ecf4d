import { expect, test } from 'bun:test'

import { memoryRobotsCache } from '../../../src/previews/stores/robots-cache.ts'
import { settingsOf } from '../../settings.ts'

const file = (characters: number) => ({ text: 'x'.repeat(characters), readAtMs: 1 })

test('files are found by their origin, whatever their size, up to the maximum', () => {
  const cache = memoryRobotsCache(settingsOf())
  for (const size of [0, 1, 2_000, 500 * 1024]) {
    cache.put(`https://${size}.test`, file(size))
    expect(cache.get(`https://${size}.test`)).toEqual(file(size))
  }
  expect(cache.get('https://other.test')).toBeNull()
})

test('4 MB of text, 2 bytes a character, are kept; the file that was not used for longest is dropped', () => {
  const cache = memoryRobotsCache(settingsOf())
  const size = 500 * 1024
  for (const host of ['a', 'b', 'c', 'd']) cache.put(host, file(size))
  cache.get('a')
  cache.put('e', file(size))
  expect(['a', 'b', 'c', 'd', 'e'].filter((host) => cache.get(host) !== null)).toEqual(['a', 'c', 'd', 'e'])
})

test('a file that was read with another allow-list is not found', () => {
  let id = '1'
  const cache = memoryRobotsCache(() => ({ allowListId: id }))
  cache.put('https://a.test', file(1))
  id = '2'
  expect(cache.get('https://a.test')).toBeNull()
  id = '1'
  expect(cache.get('https://a.test')).toEqual(file(1))
})
