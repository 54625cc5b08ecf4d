import { expect, test } from 'bun:test'

import { timedOut, within } from '../../src/store/deadline.ts'

const never = new Promise<never>(() => {})

test('work that ends before its deadline has its own result', async () => {
  expect(await within(60_000, Promise.resolve('done'))).toBe('done')
  await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test.each([
  ['is a timeout', undefined, 'timed_out'],
  ['may be another fault', 'slow_disk', 'slow_disk'],
] as const)('work that does not end %s', async (_, fault, expected) => {
  const late = await within(1, never, fault).catch((error) => error)
  expect(late).toMatchObject({ name: 'StoreError', fault: expected, cause: new Error('no response within 1 ms') })
})

test('a timeout found elsewhere has the same fault', () => {
  expect(timedOut('no turn')).toMatchObject({ fault: 'timed_out', cause: new Error('no turn') })
})
