import { expect, test } from 'bun:test'

import { endOf } from '../../../src/core/accounts/key-end.ts'
import { UNRESTRICTED } from '../../../src/core/accounts/key-settings.ts'
import { DEFAULT_PLANS } from '../../../src/core/plan.ts'
import { createKeyRing } from '../../../src/service/accounts/key-ring.ts'
import { openTemporary } from '../../store/temporary-sqlite.ts'
import { settingsOf } from '../../settings.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/** The entry in the audit log of a key that a command creates. */
const entry = () => ({
  id: crypto.randomUUID(),
  atMs: 0,
  actor: null,
  action: 'key_created' as const,
  userId: 'u1',
  email: '',
  detail: '',
})

const SETTINGS = { ...UNRESTRICTED, name: 'a key' }

async function setUp({ maxKeys = 2 } = {}) {
  const { users, keys, usage } = openTemporary({ maxResults: 10 })
  const clock = { nowMs: Date.UTC(2026, 10, 20) }
  let ids = 0
  const keyRing = createKeyRing({
    keys,
    usage,
    settings: settingsOf({ plans: { ...DEFAULT_PLANS, free: { ...DEFAULT_PLANS.free, maxKeys } } }),
    now: () => clock.nowMs,
    newId: () => `id${ids++}`,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  })
  const user = await users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: clock.nowMs })
  /** Creates a key and deactivates it; returns 'created', or the kind of the error. */
  const use = (by: 'shell' | 'form') =>
    (by === 'form' ? keyRing.issueByForm(user, SETTINGS, '') : keyRing.issue(user, SETTINGS, entry)).then(
      async ({ id }) => {
        await keyRing.deactivate(user.id, id)
        return 'created'
      },
      (error: { kind: string }) => error.kind,
    )
  return { keyRing, keys, clock, user, use }
}

test('an hour after the first of twenty keys the form creates another', async () => {
  const { clock, use } = await setUp()
  for (let n = 0; n < 20; n++) expect(await use('form')).toBe('created')
  clock.nowMs += HOUR_MS
  expect(await use('form')).toBe('key_rate_limit')
  clock.nowMs += 1
  expect(await use('form')).toBe('created')
})

test('the form creates two hundred keys in the 100 days that ended ones are stored', async () => {
  const { clock, use } = await setUp()
  for (let n = 0; n < 200; n++) {
    if (n % 20 === 0) clock.nowMs += HOUR_MS + 1
    expect(await use('form')).toBe('created')
  }
  clock.nowMs += HOUR_MS + 1
  expect(await use('form')).toBe('key_rate_limit')
  clock.nowMs += 100 * DAY_MS
  expect(await use('form')).toBe('created')
})

test('the command line has no hourly limit', async () => {
  const { use } = await setUp()
  for (let n = 0; n < 25; n++) expect(await use('shell')).toBe('created')
})

test('a plan with more than twenty keys can be used up within an hour', async () => {
  const { keyRing, user } = await setUp({ maxKeys: 30 })
  for (let n = 0; n < 30; n++) await keyRing.issueByForm(user, SETTINGS, '')
  await expect(keyRing.issueByForm(user, SETTINGS, '')).rejects.toMatchObject({ kind: 'key_limit' })
})

test.each([
  ['a hundred days after its deactivation is kept', 100 * DAY_MS, 1],
  ['a millisecond later is deleted', 100 * DAY_MS + 1, 0],
])('a key %s', async (_, laterMs, left) => {
  const { keyRing, clock, user, use } = await setUp()
  await use('form')
  clock.nowMs += laterMs
  await keyRing.sweep(clock.nowMs)
  expect((await keyRing.list(user.id, 1)).total).toBe(left)
})

test('a rotated key works for the overlap, does not count against the plan, and can be rotated once', async () => {
  const { keyRing, clock, user } = await setUp({ maxKeys: 1 })
  const first = await keyRing.issue(user, { ...SETTINGS, allowedHosts: ['example.com'] }, entry)
  const second = await keyRing.rotate(user, first.id, HOUR_MS, entry)
  expect(second.previousEndsAtMs).toBe(clock.nowMs + HOUR_MS)
  const { keys, active } = await keyRing.list(user.id, 1)
  expect(active).toBe(1)
  expect(keys.find(({ id }) => id === first.id)).toMatchObject({
    expiresAtMs: clock.nowMs + HOUR_MS,
    replacedById: second.id,
  })
  expect(keys.find(({ id }) => id === second.id)).toMatchObject({ expiresAtMs: null, allowedHosts: ['example.com'] })
  await expect(keyRing.rotate(user, first.id, 0, entry)).rejects.toMatchObject({
    kind: 'key_limit',
    message: expect.stringContaining('already been rotated'),
  })
  await expect(keyRing.update(user.id, first.id, { expiresAtMs: null })).rejects.toMatchObject({ kind: 'key_limit' })
  await expect(keyRing.issue(user, SETTINGS, entry)).rejects.toMatchObject({ kind: 'key_limit' })
})

test.each([
  ['an expiry before the end of the overlap is kept', DAY_MS, 7 * DAY_MS, DAY_MS],
  ['an expiry after the end of the overlap is moved to it', 30 * DAY_MS, 7 * DAY_MS, 7 * DAY_MS],
])('when a key is rotated, %s; its successor lasts as many days', async (_, lifetimeMs, overlapMs, leftMs) => {
  const { keyRing, clock, user } = await setUp()
  const { id } = await keyRing.issue(user, { ...SETTINGS, expiresAtMs: clock.nowMs + lifetimeMs }, entry)
  const rotated = await keyRing.rotate(user, id, overlapMs, entry)
  expect(rotated.previousEndsAtMs - clock.nowMs).toBe(leftMs)
  expect((await keyRing.find(user.id, id)).expiresAtMs! - clock.nowMs).toBe(leftMs)
  expect((await keyRing.find(user.id, rotated.id)).expiresAtMs).toBe(clock.nowMs + lifetimeMs)
})

test('rotations count against the keys per hour in the dashboard', async () => {
  const { keyRing, user } = await setUp()
  let { id } = await keyRing.issue(user, SETTINGS, entry)
  for (let n = 1; n < 20; n++) ({ id } = await keyRing.rotateByForm(user, id, 0))
  await expect(keyRing.rotateByForm(user, id, HOUR_MS)).rejects.toMatchObject({
    kind: 'key_rate_limit',
    message: expect.stringContaining('stop the old key immediately'),
  })
  expect((await keyRing.find(user.id, id)).replacedById).toBeNull()
})

test.each(['hour', '100 days'])('a key can be stopped by rotation when the keys per %s are used up', async (period) => {
  const { keyRing, user, clock } = await setUp()
  const leaked = await keyRing.issue(user, SETTINGS, entry)
  let { id } = await keyRing.issue(user, SETTINGS, entry)
  for (let n = 2; n < (period === 'hour' ? 20 : 200); n++) {
    if (period !== 'hour') clock.nowMs += HOUR_MS / 10
    ;({ id } = await keyRing.rotateByForm(user, id, 0))
  }
  const { total } = await keyRing.list(user.id, 1)
  for (let n = 0; n < 3; n++) ({ id } = await keyRing.rotateByForm(user, id, 0))
  const rotated = await keyRing.rotateByForm(user, leaked.id, 0)
  expect((await keyRing.find(user.id, leaked.id)).replacedById).toBe(rotated.id)
  expect((await keyRing.list(user.id, 1)).total).toBe(total)
})

test('a key that expired has expired when it is rotated days later, and its successor lasts as many days', async () => {
  const { keyRing, clock, user } = await setUp()
  const { id } = await keyRing.issue(user, { ...SETTINGS, expiresAtMs: clock.nowMs + 7 * DAY_MS }, entry)
  clock.nowMs += 12 * DAY_MS + HOUR_MS
  const rotated = await keyRing.rotateByForm(user, id, HOUR_MS)
  const { key, successor } = await keyRing.details(user.id, id)
  expect(endOf(key, clock.nowMs)).toEqual({ end: 'expired', endedAtMs: Date.UTC(2026, 10, 27) })
  expect(successor).toMatchObject({ id: rotated.id, createdAtMs: clock.nowMs, expiresAtMs: Date.UTC(2026, 11, 9) })
})

test.each([
  ['not rotated', false, 7 * DAY_MS],
  ['rotated', true, DAY_MS],
])('rejected requests of a key that was %s are reported for their time', async (_, isRotated, reportedMs) => {
  const { keyRing, keys, clock, user } = await setUp()
  const { id } = await keyRing.issue(user, SETTINGS, entry)
  await keyRing.deactivate(user.id, id)
  const successorId = isRotated ? (await keyRing.rotateByForm(user, id, 0)).id : undefined
  await keys.countRejected([{ keyId: id, userId: user.id, count: 1, firstAtMs: clock.nowMs, lastAtMs: clock.nowMs }])
  clock.nowMs += reportedMs
  const [reported] = await keyRing.rejected(user.id, 3)
  expect([reported?.id, reported?.successor?.id]).toEqual([id, successorId])
  clock.nowMs += 1
  expect(await keyRing.rejected(user.id, 3)).toEqual([])
})
