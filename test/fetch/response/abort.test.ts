import { getEventListeners } from 'node:events'
import { expect, test } from 'bun:test'

import { untilAborted } from '../../../src/fetch/response/abort.ts'

test.each([
  ['succeeds', () => Promise.resolve('done')],
  ['fails', () => Promise.reject(new Error('failed'))],
])('work that %s leaves no listener on the signal of a long task', async (_, work) => {
  const { signal } = new AbortController()
  const waiting = untilAborted(work(), signal)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await waiting.catch(() => {})
  await Bun.sleep(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
