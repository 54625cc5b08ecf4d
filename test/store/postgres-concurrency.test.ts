import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SQL } from 'bun'

import type { Stores } from '../../src/compose/stores.ts'
import type { RequestOutcome, QuotaUnit, QuotaRequest } from '../../src/core/usage/ports.ts'
import { createAudit } from '../../src/service/accounts/audit.ts'
import { createDeletedAccounts } from '../../src/service/accounts/deleted-accounts.ts'
import { createSignInLinks } from '../../src/service/accounts/sign-in-links.ts'
import { memoryRateLimiter } from '../../src/store/memory/rate-limiter.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { describePostgres } from '../requirements.ts'
import { startTcpProxy } from '../tcp-proxy.ts'
import { openPatiently } from './open-patiently.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

const MONTH = '2026-11'
const NOON = Date.UTC(2026, 10, 20, 12)
const unitOf = (userId: string): QuotaUnit => ({ userId, keyId: 'k1', month: MONTH })
const reservation = (userId: string): QuotaRequest => ({ unit: unitOf(userId), limit: 1_000, chargedAtMs: null })
const charge = (userId: string): QuotaRequest => ({ ...reservation(userId), chargedAtMs: NOON })
const settlement = (userId: string, outcome: RequestOutcome, atMs = NOON) => ({ unit: unitOf(userId), outcome, atMs })
const times = <T>(count: number, one: T) => Array.from({ length: count }, () => one)

const nameOf = (url: string) => new URL(url).pathname.slice(1)

/** In the database's order, and so many that a hash table is unlikely to return them in this order. */
const USERS = Array.from({ length: 20 }, (_, i) => `u${String(i).padStart(2, '0')}`)

describePostgres('PostgreSQL, concurrent transactions', (binDir) => {
  let server: PostgresServer
  /** The URL of a database with the schema and without rows. Copying it takes less time than the migrations. */
  let migrated: string

  beforeAll(async () => {
    server = await startPostgres(binDir)
    migrated = await server.createDatabase()
    await (await openPatiently(migrated))[Symbol.asyncDispose]()
  }, PATIENT_TEST_MS)
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
  }, PATIENT_TEST_MS)

  /** Two processes on a new database, and a connection of its operator. */
  async function openTwo() {
    await using stack = new AsyncDisposableStack()
    const url = await server.createDatabase(migrated)
    const one = stack.use(await openPatiently(url))
    const other = stack.use(await openPatiently(url))
    const sql = stack.adopt(new SQL({ url, max: 4 }), (open) => open.close())
    const owned = stack.move()
    return { url, one, other, sql, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  const usedOf = async ({ usage }: Pick<Stores, 'usage'>, userId: string) =>
    (await usage.used([userId], MONTH)).get(userId) ?? 0

  /** Expires the leases of all processes. */
  const expireLeases = (sql: SQL) => sql`UPDATE metering_processes SET leased_until = now() - interval '1 minute'`

  /** Resolves when a statement of urlmeta waits for a lock. */
  async function untilWaiting(sql: SQL, count: number) {
    const waiting = () => sql`
      SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    while ((await waiting()).length < count) await Bun.sleep(5)
  }

  /** Runs the call while the first user's row is locked; returns how many other rows are unlocked while it waits. */
  async function unlockedDuring(sql: SQL, table: string, call: () => Promise<unknown>): Promise<number> {
    const holder = await sql.reserve()
    try {
      await holder.unsafe(`BEGIN; SELECT 1 FROM ${table} WHERE user_id = '${USERS[0]}' FOR UPDATE`)
      const running = call()
      await untilWaiting(sql, 1)
      const unlocked = await sql.unsafe(`SELECT 1 FROM ${table} FOR UPDATE SKIP LOCKED`)
      await holder.unsafe('COMMIT')
      await running
      return unlocked.length
    } finally {
      holder.release()
    }
  }

  describe('a sweep of reservations', () => {
    test('keeps those of a batch that started before the lease expired and waits for a lock', async () => {
      await using two = await openTwo()
      const { one, other, sql } = two
      await one.usage.apply({ requests: [reservation('u1'), charge('u0')], settlements: [] })
      await one.usage.apply({ requests: times(2, reservation('u1')), settlements: [] })
      const holder = await sql.reserve()
      await holder.unsafe(`BEGIN; SELECT 1 FROM monthly_usage WHERE user_id = 'u0' FOR UPDATE`)
      await sql`UPDATE metering_processes SET leased_until = now() + interval '200 ms'`
      const applied = one.usage.apply({ requests: [charge('u0')], settlements: [settlement('u1', 'fetched')] })
      await untilWaiting(sql, 1)
      await sql`SELECT pg_sleep(0.25)`
      expect(await other.sweepReservations()).toBe(0)
      await holder.unsafe('COMMIT')
      holder.release()
      await applied
      await expireLeases(sql)
      expect([await other.sweepReservations(), await usedOf(other, 'u1')]).toEqual([2, 1])
    })

    test('locks months in the same order as batches, so that they cannot deadlock', async () => {
      await using two = await openTwo()
      const { one, other, sql } = two
      await one.usage.apply({ requests: USERS.map(reservation), settlements: [] })
      await expireLeases(sql)
      const unlocked = await unlockedDuring(sql, 'monthly_usage', () => other.sweepReservations())
      expect([unlocked, await usedOf(other, 'u05')]).toEqual([USERS.length - 1, 0])
    })

    test('deletes rows without open units, except those that a batch is writing', async () => {
      await using two = await openTwo()
      const { one, other, sql } = two
      await one.usage.apply({ requests: USERS.map(reservation), settlements: [] })
      await one.usage.apply({ requests: [], settlements: USERS.map((id) => settlement(id, 'failed')) })
      const holder = await sql.reserve()
      await holder.unsafe(`BEGIN; SELECT 1 FROM usage_reservations WHERE user_id = 'u00' FOR UPDATE`)
      expect(await other.sweepReservations()).toBe(0)
      await holder.unsafe('COMMIT')
      holder.release()
      expect(await sql`SELECT user_id FROM usage_reservations`).toEqual([{ user_id: 'u00' }])
    })
  })

  test('settlements of an old month and requests of the new one lock their days in the same order', async () => {
    await using two = await openTwo()
    const { url, one, sql } = two
    // The planner would sort them for the sums; without sorting, they come out of a hash table.
    await sql.unsafe(`ALTER DATABASE ${nameOf(url)} SET enable_sort = off`)
    await sql.unsafe(`ALTER DATABASE ${nameOf(url)} SET jit = off`)
    const inDecember = Date.UTC(2026, 11, 1)
    const settle = () =>
      one.usage.apply({
        requests: [],
        settlements: USERS.toReversed().map((id) => settlement(id, 'fetched', inDecember)),
      })
    await one.usage.apply({ requests: USERS.flatMap((id) => times(2, reservation(id))), settlements: [] })
    await settle()
    expect(await unlockedDuring(sql, 'daily_usage', settle)).toBe(USERS.length - 1)
  })

  describe('a batch whose confirmation was lost', () => {
    /** A process that has reserved two units, and whose batch of these requests and settlements was applied unconfirmed. */
    async function openUnconfirmed(requests: QuotaRequest[], outcomes: RequestOutcome[]) {
      await using stack = new AsyncDisposableStack()
      const two = stack.use(await openTwo())
      const url = new URL(two.url)
      const proxy = stack.use(await startTcpProxy(Number(url.port)))
      url.port = String(proxy.port)
      const stores = stack.use(await openPatiently(url.href))
      await two.other.usage.apply({ requests: times(10, charge('u1')), settlements: [] })
      await stores.usage.apply({ requests: times(2, reservation('u1')), settlements: [] })
      proxy.loseResponses(true)
      const settlements = outcomes.map((outcome) => settlement('u1', outcome))
      await expect(stores.usage.apply({ requests, settlements })).rejects.toThrow('cannot be reached')
      proxy.loseResponses(false)
      const owned = stack.move()
      return { ...two, stores, [Symbol.asyncDispose]: () => owned.disposeAsync() }
    }

    test.each<[string, QuotaRequest[], RequestOutcome[]]>([
      ['reservations', times(3, reservation('u1')), []],
      ['charges', times(3, charge('u1')), []],
      ['settlements', [], ['fetched', 'failed']],
      ['both', [charge('u1'), reservation('u1')], ['failed']],
    ])('%s are undone once, although a sweep has released the reservations', async (_, requests, outcomes) => {
      await using lost = await openUnconfirmed(requests, outcomes)
      const { stores, other, sql } = lost
      await expireLeases(sql)
      await other.sweepReservations()
      await stores.usage.apply({ requests: [], settlements: [settlement('u1', 'fetched')] })
      expect(await usedOf(other, 'u1')).toBe(12)
      await expireLeases(sql)
      expect([await other.sweepReservations(), await usedOf(other, 'u1')]).toEqual([1, 11])
    })

    test('is undone when the process stops, because no other batch follows', async () => {
      await using lost = await openUnconfirmed([charge('u1'), charge('u1')], ['failed'])
      const { stores, other } = lost
      expect(await usedOf(other, 'u1')).toBe(13)
      await stores[Symbol.asyncDispose]()
      expect(await usedOf(other, 'u1')).toBe(12)
    })

    test('no rows remain of a user who was deleted in the meantime', async () => {
      await using lost = await openUnconfirmed([reservation('u1')], ['failed'])
      const { stores, other, sql } = lost
      await other.usage.archive('u1', [], MONTH)
      await stores.usage.apply({ requests: [charge('u2')], settlements: [] })
      for (const table of ['monthly_usage', 'daily_usage', 'usage_reservations']) {
        expect(await sql.unsafe(`SELECT 1 FROM ${table} WHERE user_id = 'u1'`)).toHaveLength(0)
      }
    })
  })

  test('accounts can be deleted while their requests continue', async () => {
    await using two = await openTwo()
    const { one, other } = two
    for (const id of USERS) {
      const deleted = new AbortController()
      const load = [one, other].map(async ({ usage }) => {
        while (!deleted.signal.aborted) await usage.apply({ requests: times(5, charge(id)), settlements: [] })
      })
      await one.usage.restore(id, ['hash'], MONTH)
      await one.usage.keep(id, ['hash'], MONTH)
      await one.usage.archive(id, ['hash'], MONTH)
      deleted.abort()
      await Promise.all(load)
      // Requests that were in progress may have been counted after the deletion.
      await one.usage.archive(id, ['hash'], MONTH)
      expect(await usedOf(other, id)).toBe(0)
    }
  })

  test('an account whose rows change all the time is deleted when its turn comes, instead of failing', async () => {
    await using two = await openTwo()
    const { one, sql } = two
    await one.usage.apply({ requests: [charge('u1')], settlements: [] })
    const change = `UPDATE monthly_usage SET used = used + 1 WHERE user_id = 'u1'`
    const holder = await sql.reserve()
    await holder.unsafe(`BEGIN; ${change}`)
    const archived = one.usage.archive('u1', ['hash'], MONTH)
    await untilWaiting(sql, 1)
    const changed = sql.unsafe(`${change} RETURNING used`).execute()
    await untilWaiting(sql, 2)
    await holder.unsafe('COMMIT')
    holder.release()
    await archived
    expect(await changed).toHaveLength(0)
    expect(await sql`SELECT used::int FROM deleted_account_usage`).toEqual([{ used: 2 }])
  })

  test('an invitation that is revoked while it is redeemed creates no account', async () => {
    await using two = await openTwo()
    const { one, sql } = two
    const system = { now: () => NOON, newId: () => 'u1', randomBytes: (length: number) => new Uint8Array(length) }
    const secret = new Uint8Array(32)
    const deletedAccounts = createDeletedAccounts({ usage: one.usage, limiter: memoryRateLimiter(), secret, ...system })
    const links = createSignInLinks({
      tickets: one.tickets,
      users: one.users,
      deletedAccounts,
      operators: [],
      ...system,
    })
    const email = 'jo@example.com'
    const { token } = await links.invite(email, 'op@example.com', createAudit(system)(null, 'invited', null))
    const revoking = await sql.reserve()
    await revoking.unsafe('BEGIN; DELETE FROM tickets')
    const redeemed = links.redeem(token, 'invitation_invalid').catch((error: unknown) => error)
    await untilWaiting(sql, 1)
    await revoking.unsafe('COMMIT')
    revoking.release()
    expect(await redeemed).toMatchObject({ problem: 'invitation_invalid' })
    expect(await one.users.findByEmail(email)).toBeNull()
  })

  test('results are stored while a large table is being counted', async () => {
    await using two = await openTwo()
    const { one, sql } = two
    // Counting is blocked by one locked row.
    await sql.unsafe('ALTER TABLE results RENAME TO stored')
    await sql.unsafe(
      'CREATE VIEW results AS SELECT * FROM stored WHERE stored_at <> 7 OR (SELECT pg_sleep(60)) IS NOT NULL',
    )
    await sql.unsafe(`INSERT INTO stored (key_hash, json, stored_at) VALUES ('slow', '', 7)`)
    await one.results.put('a', { json: '1', storedAtMs: 1 })
    expect(await sql`SELECT json FROM stored WHERE stored_at = 1`).toEqual([{ json: '1' }])
    // Closing waits for statements in progress.
    const [canceled] = await sql`
      SELECT count(pg_cancel_backend(pid)) AS n FROM pg_stat_activity
      WHERE wait_event = 'PgSleep' AND datname = current_database()`
    expect(Number(canceled.n)).toBe(1)
  })

  test('usage is counted with a stricter default isolation level', async () => {
    const url = await server.createDatabase()
    await using sql = new SQL({ url, max: 1 })
    await sql.unsafe(`ALTER DATABASE ${nameOf(url)} SET default_transaction_isolation = serializable`)
    await using one = await openPatiently(url)
    await using other = await openPatiently(url)
    const both = Array.from({ length: 50 }, () => [one, other]).flat()
    await Promise.all(both.map(({ usage }) => usage.apply({ requests: [charge('u1')], settlements: [] })))
    expect(await usedOf(one, 'u1')).toBe(100)
  })
})
