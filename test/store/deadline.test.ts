import { afterEach, beforeEach, expect, jest, test } from 'bun:test'

import { within } from '../../src/store/deadline.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('work in time is returned, and its timer does not stay', async () => {
  expect(await within(1_000, Promise.resolve('done'))).toBe('done')
  expect(jest.getTimerCount()).toBe(0)
})

test('work that fails in time fails, and its timer does not stay', async () => {
  await expect(within(1_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(jest.getTimerCount()).toBe(0)
})

test('late work fails at the deadline', async () => {
  const late = within(1_000, new Promise(() => {}), 'slow_disk')
  jest.advanceTimersByTime(999)
  expect(jest.getTimerCount()).toBe(1)
  jest.advanceTimersByTime(1)
  await expect(late).rejects.toMatchObject({ fault: 'slow_disk' })
})
