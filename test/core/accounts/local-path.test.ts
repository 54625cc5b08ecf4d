import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { parseLocalPath } from '../../../src/core/accounts/local-path.ts'
import { randomRuns } from '../../random-runs.ts'

test.each<[text: string | null, path: string | null]>([
  ['/', '/'],
  ['/keys', '/keys'],
  ['/usage?days=90&key=a%20b', '/usage?days=90&key=a%20b'],
  ['/keys#top', '/keys'],
  ['/a/../keys', '/keys'],
  ['/@evil.test', '/@evil.test'],
  ['/:80/', '/:80/'],
  [null, null],
  ['', null],
  ['keys', null],
  ['//evil.test', null],
  ['///evil.test', null],
  ['/\\evil.test', null],
  ['/\\/evil.test', null],
  ['\\/evil.test', null],
  ['/..//evil.test', null],
  ['/.//evil.test', null],
  ['/a/..//evil.test', null],
  ['/%2e%2e//evil.test', null],
  ['/%2E//evil.test', null],
  ['/\t/evil.test', null],
  ['/\n/evil.test', null],
  ['\t//evil.test', null],
  [' //evil.test', null],
  ['/ü', null],
  ['https://evil.test/', null],
  ['https:evil.test', null],
  ['javascript:x()', null],
  ['data:text/html,x', null],
  [`/${'a'.repeat(2_047)}`, `/${'a'.repeat(2_047)}`],
  [`/${'a'.repeat(2_048)}`, null],
])('%j → %j', (text, path) => expect(parseLocalPath(text)).toBe(path))

test('every result is a path of this service', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({
      unit: fc.constantFrom('/', '\\', '.', '%2e', '%2f', '%5c', ':', '@', '?', '#', '\t', '\n', 'a', 'evil.test'),
    }),
  )
  fc.assert(
    fc.property(text, (tail) => {
      const path = parseLocalPath(`/${tail}`)
      return path === null || new URL(path, 'https://meta.example/sign-in').origin === 'https://meta.example'
    }),
    { numRuns: randomRuns(2_000) },
  )
})
