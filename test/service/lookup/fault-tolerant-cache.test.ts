import { expect, test } from 'bun:test'

import type { ResultCache } from '../../../src/core/fetch/result-cache.ts'
import { faultTolerantCache } from '../../../src/service/lookup/fault-tolerant-cache.ts'

const fault = new Error('the database is damaged')
const reject = () => Promise.reject(fault)
const broken: ResultCache = {
  get: reject,
  put: reject,
  count: reject,
  sweep: reject,
  variantsOf: reject,
  deletePage: reject,
  deletedPages: reject,
}

test('a failed read is a miss, and the error is reported', async () => {
  const faults: unknown[] = []
  const cache = faultTolerantCache(broken, (error) => faults.push(error))
  expect(await cache.get('k')).toBeNull()
  expect(faults).toEqual([fault])
})

test('a failed write, sweep or count rejects', async () => {
  const cache = faultTolerantCache(broken, () => {})
  await expect(cache.put('k', { json: '{}', storedAtMs: 1 })).rejects.toBe(fault)
  await expect(cache.sweep(1, 2)).rejects.toBe(fault)
  await expect(cache.count()).rejects.toBe(fault)
})

test('results are passed on', async () => {
  const stored = { json: '{}', storedAtMs: 1, layer: 'database' as const }
  const cache = faultTolerantCache({ ...broken, get: async () => stored, count: async () => 1 }, () => {})
  expect([await cache.get('k'), await cache.count()]).toEqual([stored, 1])
})
