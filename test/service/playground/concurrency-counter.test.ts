import { expect, test } from 'bun:test'

import { createConcurrencyCounter } from '../../../src/service/playground/concurrency-counter.ts'

test('counts running and waiting work, also when it fails', async () => {
  const gauge = createConcurrencyCounter(2)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const works = Array.from({ length: 3 }, () => gauge.track(() => promise))
  expect(gauge.read()).toEqual({ active: 2, limit: 2, waiting: 1 })
  resolve()
  await Promise.all(works)
  expect(gauge.read()).toEqual({ active: 0, limit: 2, waiting: 0 })
  await expect(gauge.track(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(gauge.read().active).toBe(0)
  reject()
})
