import { expect } from 'bun:test'

import { until } from './site.ts'

/** Clients that request at the same time, each one request after the other. */
const CLIENTS = 4

/** Successful requests before the work starts. */
const BEFORE = 100

/**
 * Does work while clients request pages, each of which must succeed. Returns its result, how many requests had succeeded
 * before and after it, and how many in all.
 */
export async function underLoad<Result>(
  request: (path: string) => Promise<{ status: number }>,
  work: () => Promise<Result>,
): Promise<{ result: Result; before: number; after: number; total: number }> {
  let succeeded = 0
  let isLoaded = true
  const load = Array.from({ length: CLIENTS }, async (_, i) => {
    for (let n = 0; ; n++) {
      if (!isLoaded) return
      expect((await request(`/${(n + i) % 5}`)).status).toBe(200)
      succeeded++
    }
  })
  await until(() => succeeded >= BEFORE)
  const before = succeeded
  const result = await work()
  const after = succeeded
  isLoaded = false
  await Promise.all(load)
  return { result, before, after, total: succeeded }
}
