import { expect, test } from 'bun:test'

import { createBackOff } from '../../../src/fetch/chromium/back-off.ts'

function openBackOff() {
  const clock = { nowMs: 1_000_000 }
  return {
    clock,
    backOff: createBackOff(() => clock.nowMs),
  }
}

test('the wait starts after the failures before a delay, doubles, and is bounded', () => {
  const { backOff } = openBackOff()
  const waits = Array.from({ length: 10 }, () => {
    backOff.failed()
    return backOff.remainingMs()
  })
  expect(waits).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

test('the wait decreases with time', () => {
  const { clock, backOff } = openBackOff()
  for (let i = 0; i < 3; i++) backOff.failed()
  clock.nowMs += 999
  expect(backOff.remainingMs()).toBe(1)
  clock.nowMs += 1
  expect(backOff.remainingMs()).toBe(0)
})

test('a success resets it', () => {
  const { backOff } = openBackOff()
  for (let i = 0; i < 5; i++) backOff.failed()
  backOff.succeeded()
  expect(backOff.remainingMs()).toBe(0)
  backOff.failed()
  expect(backOff.remainingMs()).toBe(0)
})
