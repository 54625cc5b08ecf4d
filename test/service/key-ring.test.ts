import { expect, test } from 'bun:test'

import { DEFAULT_PLANS } from '../../src/core/plan.ts'
import { createKeyRing } from '../../src/service/key-ring.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

async function setUp({ maxKeys = 2 } = {}) {
  const { users, keys, usage } = openSqlite(':memory:', { maxResults: 10 })
  const clock = { nowMs: Date.UTC(2026, 10, 20) }
  let ids = 0
  const keyRing = createKeyRing({
    keys,
    usage,
    plans: { ...DEFAULT_PLANS, free: { ...DEFAULT_PLANS.free, maxKeys } },
    now: () => clock.nowMs,
    newId: () => `id${ids++}`,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  })
  const user = await users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: clock.nowMs })
  /** Creates a key and deactivates it; returns 'created', or the kind of the error. */
  const use = (by: 'shell' | 'form') =>
    (by === 'form' ? keyRing.issueByForm(user, 'a key', '') : keyRing.issue(user, 'a key')).then(
      async ({ id }) => {
        await keyRing.deactivate(user.id, id)
        return 'created'
      },
      (error: { kind: string }) => error.kind,
    )
  return { keyRing, clock, user, use }
}

test('an hour after the first of twenty keys the form creates another', async () => {
  const { clock, use } = await setUp()
  for (let n = 0; n < 20; n++) expect(await use('form')).toBe('created')
  clock.nowMs += HOUR_MS
  expect(await use('form')).toBe('key_rate_limit')
  clock.nowMs += 1
  expect(await use('form')).toBe('created')
})

test('the command line has no hourly limit', async () => {
  const { use } = await setUp()
  for (let n = 0; n < 25; n++) expect(await use('shell')).toBe('created')
})

test('a plan with more than twenty keys can be used up within an hour', async () => {
  const { keyRing, user } = await setUp({ maxKeys: 30 })
  for (let n = 0; n < 30; n++) await keyRing.issueByForm(user, 'a key', '')
  await expect(keyRing.issueByForm(user, 'a key', '')).rejects.toMatchObject({ kind: 'key_limit' })
})

test.each([
  ['a hundred days after its deactivation is kept', 100 * DAY_MS, 1],
  ['a millisecond later is deleted', 100 * DAY_MS + 1, 0],
])('a key %s', async (_, laterMs, left) => {
  const { keyRing, clock, user, use } = await setUp()
  await use('form')
  clock.nowMs += laterMs
  await keyRing.sweep()
  expect((await keyRing.list(user.id, 1)).total).toBe(left)
})
