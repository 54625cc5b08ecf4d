import { expect, test } from 'bun:test'

import type { PlaygroundRecord } from '../../../src/previews/service/playground-record.ts'
import { createPlaygroundHistory } from '../../../src/previews/service/playground-history.ts'
import { memoryPlaygroundResults } from '../../../src/store/memory/playground-results.ts'

const RECORD: PlaygroundRecord = {
  form: { url: 'https://example.com/', timeout: '5000', isFresh: false },
  isCompleted: false,
  outcome: { kind: 'invalid', errors: { url: 'Invalid URL: the URL is missing', timeout: '' } },
}

test('a result is kept for an hour, under an id that cannot be guessed', async () => {
  let now = 0
  let calls = 0
  const history = createPlaygroundHistory({
    results: memoryPlaygroundResults(),
    settings: () => ({ allowListId: '' }),
    now: () => now,
    randomBytes: (length) => new Uint8Array(length).fill(calls++),
  })
  const ids = [await history.save('jo', RECORD), await history.save('jo', RECORD)]
  // 32 random bytes each.
  expect(ids).toEqual([0, 1].map((byte) => Buffer.alloc(32, byte).toString('base64url')))
  now = 3_599_999
  expect(await history.find('jo', ids[0]!)).toEqual(RECORD)
  expect(await history.find('ann', ids[0]!)).toBeNull()
  now = 3_600_000
  expect(await history.find('jo', ids[0]!)).toBeNull()
})

test.each([
  ['{"form":{},"outcome":{"kind":"success"}}', null],
  ['{"format":0}', null],
  ['{"format":"2 list"}', null],
  ['{"format":"1"}', null],
  ['{"format":"1 other"}', null],
  ['{"format":"1 list"}', {}],
])('a result that another version stored, or under another allow-list, is not shown: %s', async (json, expected) => {
  const results = memoryPlaygroundResults()
  const history = createPlaygroundHistory({
    results,
    settings: () => ({ allowListId: ' list' }),
    now: () => 0,
    randomBytes: (length) => new Uint8Array(length),
  })
  await results.put({ id: 'a', userId: 'jo', json, expiresAtMs: 1 })
  expect(await history.find('jo', 'a')).toEqual(expected as never)
})

test('a result that cannot be stored has no id', async () => {
  const history = createPlaygroundHistory({
    results: { ...memoryPlaygroundResults(), put: () => Promise.reject(new Error('the disk is full')) },
    settings: () => ({ allowListId: '' }),
    now: () => 0,
    randomBytes: (length) => new Uint8Array(length),
  })
  await expect(history.save('jo', RECORD)).rejects.toThrow('the disk is full')
})
