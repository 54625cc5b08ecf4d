import { expect, test } from 'bun:test'

import { isNoScriptTitle } from '../../../../src/core/extract/sources/no-script-title.ts'

test.each<[title: string, expected: boolean]>([
  ['JavaScript is not available.', true],
  ['  Please enable JavaScript to continue…', true],
  ['Please enable JS and disable any ad blocker', true],
  ['You need to enable JavaScript to run this app!', true],
  ['Enable JavaScript', true],
  ['Please enable JavaScript', true],
  ['JavaScript disabled', true],
  ['JavaScript required', true],
  ['JavaScript is not enabled.', true],
  ['JavaScript', false],
  ['When JavaScript is not available', false],
  ['JavaScript is not available: what to do', false],
  ['', false],
])('%p', (title, expected) => expect(isNoScriptTitle(title)).toBe(expected))

// Removing the last dots of this title with a regular expression would take 8 seconds each time.
test('a title of 64 KB of dots', () => {
  const title = `${'.'.repeat(65_000)}x`
  expect(Array.from({ length: 20 }, () => isNoScriptTitle(title))).not.toContain(true)
})
