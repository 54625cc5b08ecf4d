import { expect, test } from 'bun:test'

import type { DailyUsage, UsageHistory } from '../../../src/core/usage/ports.ts'
import { createServerUsage } from '../../../src/service/usage/server-usage.ts'

test('days before yesterday are read once', async () => {
  const read: string[] = []
  const clock = { nowMs: Date.UTC(2026, 10, 20, 12) }
  const usage: Partial<UsageHistory> = {
    async total(day): Promise<DailyUsage> {
      read.push(day)
      return { day, successes: read.length, cacheHits: 0, failures: 0 }
    },
  }
  const { days } = createServerUsage({ usage: usage as UsageHistory, now: () => clock.nowMs })
  const first = await days(4)
  expect(read).toEqual(['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'])
  read.length = 0
  const second = await days(4)
  expect(read).toEqual(['2026-11-19', '2026-11-20'])
  expect(second.slice(0, 2)).toEqual(first.slice(0, 2))
  read.length = 0
  clock.nowMs += 24 * 60 * 60_000
  await days(4)
  expect(read).toEqual(['2026-11-19', '2026-11-20', '2026-11-21'])
})

test('a day that cannot be read fails the whole request', async () => {
  const reason = new Error('the database is locked')
  const usage = { total: () => Promise.reject(reason) } as unknown as UsageHistory
  await expect(createServerUsage({ usage, now: () => 0 }).days(2)).rejects.toBe(reason)
})
