import { describe, expect, test } from 'bun:test'

import type { Budget } from '../../../src/core/fetch/ports.ts'
import { createSingleFlight, type WaitOptions } from '../../../src/service/lookup/single-flight.ts'

const waitOptions = (): WaitOptions => ({
  userId: null,
  publicOnly: false,
  timeoutMs: 15_000,
  signal: new AbortController().signal,
})

/** Work that the test completes, and its budget. */
function pendingWork() {
  const held = Promise.withResolvers<string>()
  const budgets: Budget[] = []
  const work = (budget: Budget) => {
    budgets.push(budget)
    budget.signal.addEventListener('abort', () => held.reject(budget.signal.reason))
    return held.promise
  }
  return { work, budgets, finish: held.resolve, fail: held.reject }
}

describe('single flight', () => {
  test('concurrent calls with the same key share one run', async () => {
    const flights = createSingleFlight<string>()
    const { work, budgets, finish } = pendingWork()
    const all = Promise.all(Array.from({ length: 20 }, () => flights.join('k', waitOptions(), work)))
    finish('done')
    expect(new Set(await all)).toEqual(new Set(['done']))
    expect(budgets).toHaveLength(1)
  })

  test.each([
    ['another key', 'a', 'b'],
    ['no key', null, null],
  ])('calls with %s are not shared', async (_, first, second) => {
    const flights = createSingleFlight<string>()
    const { work, budgets, finish } = pendingWork()
    const both = Promise.all([flights.join(first, waitOptions(), work), flights.join(second, waitOptions(), work)])
    finish('done')
    await both
    expect(budgets).toHaveLength(2)
  })

  test('a failure reaches every caller, and the next call starts a new run', async () => {
    const flights = createSingleFlight<string>()
    const { work, fail } = pendingWork()
    const both = Promise.allSettled([flights.join('k', waitOptions(), work), flights.join('k', waitOptions(), work)])
    fail(new Error('broken'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await flights.join('k', waitOptions(), async () => 'fine')).toBe('fine')
  })

  test('work that throws synchronously fails in the same way', async () => {
    const work = () => {
      throw new Error('broken')
    }
    await expect(createSingleFlight<string>().join('k', waitOptions(), work)).rejects.toThrow('broken')
  })

  test('a caller that times out leaves alone; the others get the result', async () => {
    const flights = createSingleFlight<string>()
    const { work, budgets, finish } = pendingWork()
    const other = flights.join('k', waitOptions(), work)
    await expect(flights.join('k', { ...waitOptions(), timeoutMs: 20 }, work)).rejects.toMatchObject({
      failure: 'timeout',
      message: 'Failed to fetch URL: timed out after 20 ms',
    })
    await Bun.sleep(40)
    expect(budgets[0]!.signal.aborted).toBe(false)
    finish('done')
    expect(await other).toBe('done')
  })

  test('a caller with a longer timeout extends the run', async () => {
    const flights = createSingleFlight<string>()
    const { work, budgets, finish } = pendingWork()
    const first = flights.join('k', { ...waitOptions(), timeoutMs: 1_000 }, work)
    await Bun.sleep(0)
    expect(budgets[0]!.remainingMs()).toBeLessThanOrEqual(1_000)
    // A thread that does the work is told.
    const told: number[] = []
    budgets[0]!.onExtended!(() => told.push(budgets[0]!.remainingMs()))
    const second = flights.join('k', waitOptions(), work)
    expect(budgets[0]!.remainingMs()).toBeGreaterThan(10_000)
    expect(told).toEqual([expect.any(Number)])
    expect(told[0]).toBeGreaterThan(10_000)
    finish('done')
    await Promise.all([first, second])
    expect(budgets[0]!.remainingMs()).toBe(0)
  })

  test('when the last caller leaves, the work is aborted and the next call starts a new run', async () => {
    const flights = createSingleFlight<string>()
    const { work, budgets } = pendingWork()
    const leaving = new AbortController()
    const first = flights.join(
      'k',
      { userId: null, publicOnly: false, timeoutMs: 20, signal: new AbortController().signal },
      work,
    )
    const second = flights.join(
      'k',
      { userId: null, publicOnly: false, timeoutMs: 15_000, signal: leaving.signal },
      work,
    )
    await expect(first).rejects.toMatchObject({ failure: 'timeout' })
    await Bun.sleep(40)
    expect(budgets[0]!.signal.aborted).toBe(false)
    leaving.abort()
    await expect(second).rejects.toMatchObject({ kind: 'client_closed' })
    expect(budgets[0]!.signal.aborted).toBe(true)
    expect(await flights.join('k', waitOptions(), async () => 'second result')).toBe('second result')
  })

  test('work that ends after it was abandoned does not end the sharing of the next run', async () => {
    const flights = createSingleFlight<string>()
    const abandoned = Promise.withResolvers<string>()
    const leaving = new AbortController()
    const gone = flights.join('k', { ...waitOptions(), signal: leaving.signal }, () => abandoned.promise)
    await Bun.sleep(0)
    leaving.abort()
    await expect(gone).rejects.toMatchObject({ kind: 'client_closed' })

    const { work, budgets, finish } = pendingWork()
    const second = flights.join('k', waitOptions(), work)
    abandoned.resolve('late result')
    await Bun.sleep(0)
    const third = flights.join('k', waitOptions(), work)
    finish('done')
    expect(await Promise.all([second, third])).toEqual(['done', 'done'])
    expect(budgets).toHaveLength(1)
  })

  test('a call that is already aborted starts no work', async () => {
    const flights = createSingleFlight<string>()
    const { work, budgets } = pendingWork()
    const gone = flights.join('k', { ...waitOptions(), signal: AbortSignal.abort() }, work)
    await expect(gone).rejects.toMatchObject({ kind: 'client_closed' })
    expect(await flights.join('k', waitOptions(), async () => 'second result')).toBe('second result')
    expect(budgets).toHaveLength(0)
  })
})
