import { expect, test } from 'bun:test'

import type { Sessions } from '../../../src/core/accounts/ports.ts'
import { createSessions } from '../../../src/service/accounts/sessions.ts'
import { openTemporary } from '../../store/temporary-sqlite.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const START = Date.UTC(2026, 10, 20)

async function setUp(faulty: Partial<Sessions> = {}) {
  using stack = new DisposableStack()
  const { users, ...stores } = stack.use(openTemporary({ maxResults: 10 }))
  const sessions = { ...stores.sessions, ...faulty }
  await users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: START })
  const clock = { nowMs: START }
  const service = createSessions({
    sessions,
    operators: [],
    now: () => clock.nowMs,
    newId: () => 's1',
    randomBytes: (length) => new Uint8Array(length),
  })
  const token = await service.open('u1', { userAgent: 'x'.repeat(301), previousToken: null })
  const owned = stack.move()
  return { clock, service, token, sessions, [Symbol.dispose]: () => owned.dispose() }
}

test('the last use of a session is written every five minutes', async () => {
  using place = await setUp()
  const { clock, service, token } = place
  const lastUseAfter = async (ms: number) => {
    clock.nowMs = START + ms
    await service.find(token)
    return (await service.list('u1'))[0]!.lastSeenAtMs - START
  }
  expect(await lastUseAfter(5 * MINUTE_MS - 1)).toBe(0)
  expect(await lastUseAfter(5 * MINUTE_MS)).toBe(5 * MINUTE_MS)
  expect(await lastUseAfter(10 * MINUTE_MS - 1)).toBe(5 * MINUTE_MS)
})

test.each<[string, Sessions['touch']]>([
  ['cannot be written', () => Promise.reject(new Error('the disk is full'))],
  ['is locked', () => new Promise(() => {})],
])('a session is found while the database %s', async (_, touch) => {
  using place = await setUp({ touch })
  place.clock.nowMs += 10 * MINUTE_MS
  expect(await place.service.find(place.token)).toMatchObject({ user: { id: 'u1' } })
})

test.each([
  ['is open for a week without use', [], 7 * DAY_MS - 1, true],
  ['ends after a week without use', [], 7 * DAY_MS, false],
  ['is open for thirty days if it is used', [6, 12, 18, 24], 30 * DAY_MS - 1, true],
  ['ends after thirty days, although it is used', [6, 12, 18, 24], 30 * DAY_MS, false],
])('a session %s', async (_, usedAfterDays, ms, expected) => {
  using place = await setUp()
  const isOpenAfter = async (afterMs: number) => {
    place.clock.nowMs = START + afterMs
    return (await place.service.find(place.token)) !== null
  }
  for (const day of usedAfterDays) expect(await isOpenAfter(day * DAY_MS)).toBe(true)
  expect(await isOpenAfter(ms)).toBe(expected)
})

test('a session keeps 300 characters of its user agent', async () => {
  using place = await setUp()
  expect((await place.service.list('u1'))[0]!.userAgent).toBe('x'.repeat(300))
})
