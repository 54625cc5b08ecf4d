import { expect, test } from 'bun:test'

import type { ResultCache } from '../../src/core/ports.ts'
import { dispensableCache } from '../../src/service/dispensable-cache.ts'

const fault = new Error('the database is damaged')
const reject = () => Promise.reject(fault)
const broken: ResultCache = { get: reject, put: reject, count: reject, sweep: reject }

test('what cannot be read is not there, and the fault is told', async () => {
  const faults: unknown[] = []
  const cache = dispensableCache(broken, (error) => faults.push(error))
  expect([await cache.get('k'), await cache.count()]).toEqual([null, 0])
  expect(faults).toEqual([fault, fault])
})

test('what cannot be stored or swept is for the caller to report', async () => {
  const cache = dispensableCache(broken, () => {})
  expect(cache.put('k', { json: '{}', storedAtMs: 1 })).rejects.toBe(fault)
  expect(cache.sweep(1)).rejects.toBe(fault)
})

test('what can be read is passed on', async () => {
  const stored = { json: '{}', storedAtMs: 1, layer: 'database' as const }
  const cache = dispensableCache({ ...broken, get: async () => stored, count: async () => 1 }, () => {})
  expect([await cache.get('k'), await cache.count()]).toEqual([stored, 1])
})
