import { expect, test } from 'bun:test'

import { rowJson } from '../../src/core/row-json.ts'

test('names are in snake case, and times are ISO 8601', () => {
  const row = { id: 'a', atMs: 0, lastUsedAtMs: null, latencyMs: 7, formatMs: 8, hash: 'not named' }
  expect(rowJson(row, ['id', 'atMs', 'lastUsedAtMs', 'latencyMs', 'formatMs'])).toEqual({
    id: 'a',
    at: '1970-01-01T00:00:00.000Z',
    last_used_at: null,
    latency_ms: 7,
    format_ms: 8,
  })
})
