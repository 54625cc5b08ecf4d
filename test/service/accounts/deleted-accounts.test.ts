import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'

import { allKeysRateLimitKey, playgroundRateLimitKey } from '../../../src/core/usage/rate-limiter.ts'
import { hashToken } from '../../../src/core/accounts/token.ts'
import { createDeletedAccounts, type AccountOwner } from '../../../src/service/accounts/deleted-accounts.ts'
import { memoryRateLimiter } from '../../../src/store/memory/rate-limiter.ts'
import { openSqlite } from '../../../src/store/sqlite/open.ts'
import { temporaryDatabase } from '../../store/temporary-sqlite.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const github = { issuer: 'https://github.com/login/oauth', subject: '17' }
const google = { issuer: 'https://accounts.google.com', subject: '17' }
const jo: AccountOwner = { userId: 'u1', email: 'jo@example.com', identities: [github] }

function setUp(path = temporaryDatabase(), secret = new Uint8Array(32)) {
  const { usage, [Symbol.dispose]: close } = openSqlite(path, { maxResults: 1 })
  const clock = { nowMs: NOON }
  const limiter = memoryRateLimiter()
  const deletedAccounts = createDeletedAccounts({ usage, limiter, secret, now: () => clock.nowMs })
  const use = async (userId: string, times: number) => {
    const request = { unit: { userId, keyId: null, month: '2026-11' }, limit: 99, chargedAtMs: NOON }
    await usage.apply({ requests: Array.from({ length: times }, () => request), settlements: [] })
  }
  const used = async (userId: string) => (await usage.used([userId], '2026-11')).get(userId) ?? 0
  const ask = (minute: string) => limiter.take([{ key: minute, limit: 10 }], clock.nowMs)
  return { deletedAccounts, clock, use, used, ask, close }
}

describe('usage of the month before the account was deleted', () => {
  test.each<[string, Partial<AccountOwner>, used: number]>([
    ['with the same address', { identities: [google] }, 3],
    ['with another verified address of the same identity', { email: 'jo@new.example' }, 3],
    ['with a sign-in link for the same address', { identities: [] }, 3],
    ['as another person', { email: 'ann@example.com', identities: [{ ...github, subject: '18' }] }, 0],
    ['as the same subject at another provider', { email: 'ann@example.com', identities: [google] }, 0],
  ])('after signing up %s', async (_, again, used) => {
    const service = setUp()
    await service.use('u1', 3)
    await service.deletedAccounts.archive(jo)
    await service.deletedAccounts.restore({ ...jo, ...again, userId: 'u2' })
    expect(await service.used('u2')).toBe(used)
  })

  test('is not applied in the next month', async () => {
    const { deletedAccounts, clock, use, used } = setUp()
    await use('u1', 3)
    await deletedAccounts.archive(jo)
    clock.nowMs = Date.UTC(2026, 11, 1)
    await deletedAccounts.restore({ ...jo, userId: 'u2' })
    expect(await used('u2')).toBe(0)
  })

  test('is not found with another secret', async () => {
    const path = temporaryDatabase()
    const first = setUp(path)
    await first.use('u1', 3)
    await first.deletedAccounts.archive(jo)
    first.close()
    const other = setUp(path, new Uint8Array(32).fill(1))
    await other.deletedAccounts.restore({ ...jo, userId: 'u2' })
    expect(await other.used('u2')).toBe(0)
    other.close()
  })
})

describe('usage of the minute before the account was deleted', () => {
  test.each([
    ['of all keys', allKeysRateLimitKey],
    ['of the playground', playgroundRateLimitKey],
  ])('%s is applied to each account that the person creates in the same minute', async (_, keyOf) => {
    const { deletedAccounts, ask } = setUp()
    for (const [i, remaining] of [9, 8, 7].entries()) {
      const person = { ...jo, userId: `u${i}` }
      await deletedAccounts.restore(person)
      expect(await ask(keyOf(person.userId))).toMatchObject({ remaining })
      await deletedAccounts.archive(person)
    }
  })

  test('is not applied to other people or in the next minute', async () => {
    const { deletedAccounts, ask, clock } = setUp()
    await ask(allKeysRateLimitKey('u1'))
    await deletedAccounts.archive(jo)
    await deletedAccounts.restore({ userId: 'u2', email: 'ann@example.com', identities: [google] })
    expect(await ask(allKeysRateLimitKey('u2'))).toMatchObject({ remaining: 9 })
    clock.nowMs += 60_000
    await deletedAccounts.restore({ ...jo, userId: 'u3' })
    expect(await ask(allKeysRateLimitKey('u3'))).toMatchObject({ remaining: 9 })
  })
})

test('without the secret the database does not reveal the owner of the account', async () => {
  const path = temporaryDatabase()
  const { deletedAccounts, use, close } = setUp(path)
  await use('u1', 1)
  await deletedAccounts.archive(jo)
  close()
  const database = new Database(path, { readonly: true })
  const rows = database.query('SELECT * FROM deleted_account_usage').all() as Record<string, unknown>[]
  database.close()
  expect(rows).toHaveLength(2)
  const text = JSON.stringify(rows)
  for (const guess of [jo.email, hashToken(jo.email), hashToken('identity', 'github', '17'), 'u1']) {
    expect(text).not.toContain(guess)
  }
})
