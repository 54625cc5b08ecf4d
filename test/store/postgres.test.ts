import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SQL } from 'bun'
import { getTableColumns, getTableName } from 'drizzle-orm'

import { rangesOf, UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import { messageOf } from '../../src/core/errors.ts'
import type { StoreError } from '../../src/core/store-fault.ts'
import type { RequestOutcome, QuotaUnit, QuotaRequest } from '../../src/core/usage/ports.ts'
import { MAX_CONNECTIONS } from '../../src/store/postgres/pool.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import * as schema from '../../src/store/postgres/schema.ts'
import * as usageTables from '../../src/store/postgres/usage-schema.ts'
import { loggedRequest } from '../logged-request.ts'
import { PATIENT_POSTGRES, PATIENT_TEST_MS } from '../patience.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { describePostgres } from '../requirements.ts'
import { until } from '../site.ts'
import { startTcpProxy } from '../tcp-proxy.ts'
import { accountsContract, everybody, WITHOUT_RESTRICTIONS } from './accounts-contract.ts'
import { auditLogContract } from './audit-log-contract.ts'
import { migrationsOf } from './database-fixtures.ts'
import { identitiesContract } from './identities-contract.ts'
import { openPatiently } from './open-patiently.ts'
import { renderedHostsContract } from './rendered-hosts-contract.ts'
import { requestLogContract } from './request-log-contract.ts'
import { resultBoundContract, resultCacheContract } from './result-cache-contract.ts'
import { sessionsContract } from './sessions-contract.ts'
import { sharedResultsContract } from './shared-results-contract.ts'
import { ticketsContract } from './tickets-contract.ts'
import { usageAlertsContract } from './usage-alerts-contract.ts'
import { usageContract } from './usage-contract.ts'

const MIGRATIONS = await migrationsOf('postgres')

type PostgresStores = Awaited<ReturnType<typeof openPostgres>>

describePostgres('PostgreSQL', (binDir) => {
  let server: PostgresServer
  let url: string
  let admin: SQL
  let deleteAllRows: string
  let shared: PostgresStores

  beforeAll(async () => {
    server = await startPostgres(binDir)
    url = await server.createDatabase()
    await using _ = await openPostgres({ url, maxResults: 1 })
    admin = new SQL({ url, max: 2 })
    const tables: { name: string }[] = await admin`
      SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_name NOT LIKE 'urlmeta_%'`
    deleteAllRows = tables.map(({ name }) => `DELETE FROM ${name}`).join(';')
    shared = await open()
  }, PATIENT_TEST_MS)
  afterAll(async () => {
    await shared?.[Symbol.asyncDispose]()
    await admin?.close()
    await server?.[Symbol.asyncDispose]()
  }, PATIENT_TEST_MS)

  /** Empties the database. TRUNCATE takes several times as long, and a new database for each test even longer. */
  async function open(maxResults = 100): Promise<PostgresStores> {
    await admin.unsafe(deleteAllRows)
    return openPatiently(url, maxResults)
  }

  /** The same stores each time, because opening and closing connections takes most of the time of a short test. */
  async function openShared(): Promise<PostgresStores> {
    await admin.unsafe(deleteAllRows)
    return { ...shared, [Symbol.asyncDispose]: async () => {} }
  }

  test('the migrations create the columns that the statements use', async () => {
    for (const table of Object.values({ ...schema.tables, ...usageTables })) {
      const expected = Object.values(getTableColumns(table)).map(({ name, notNull }) => [name, notNull])
      const created = await admin`
        SELECT column_name, is_nullable = 'NO' FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name = ${getTableName(table)}`.values()
      expect([getTableName(table), ...created.toSorted()]).toEqual([getTableName(table), ...expected.toSorted()])
    }
  })

  accountsContract('postgres', openShared)
  usageContract('postgres', openShared)
  identitiesContract('postgres', openShared)
  sessionsContract('postgres', openShared)
  ticketsContract('postgres', openShared)
  sharedResultsContract('postgres', openShared)
  auditLogContract('postgres', openShared)
  requestLogContract('postgres', openShared)
  usageAlertsContract('postgres', openShared)
  resultCacheContract('postgres', open)
  resultBoundContract('postgres', open)
  renderedHostsContract('postgres', openShared)

  /** The database behind a proxy that can lose responses. */
  async function openBehindProxy(deadlines = PATIENT_POSTGRES) {
    await using stack = new AsyncDisposableStack()
    const proxied = new URL(url)
    const proxy = stack.use(await startTcpProxy(Number(proxied.port)))
    const direct = stack.use(await open())
    proxied.port = String(proxy.port)
    const stores = stack.use(await openPostgres({ url: proxied.href, maxResults: 10, deadlines }))
    const owned = stack.move()
    return { proxy, direct, stores, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  const unit: QuotaUnit = { userId: 'u1', keyId: 'k1', month: '2026-11' }
  const reservation: QuotaRequest = { unit, limit: 100, chargedAtMs: null }
  const charge: QuotaRequest = { ...reservation, chargedAtMs: Date.UTC(2026, 10, 20, 12) }
  const settlement = (outcome: RequestOutcome) => ({ unit, outcome, atMs: charge.chargedAtMs! })
  const times = <T>(count: number, one: T) => Array.from({ length: count }, () => one)
  const usedOf = async ({ usage }: PostgresStores) => (await usage.used(['u1'], '2026-11')).get('u1') ?? 0
  const user = { id: 'u1', email: 'jo@example.com', plan: 'free' as const, createdAtMs: 1 }
  const newKey = (id: string) => ({
    id,
    userId: 'u1',
    name: id,
    hash: `hash of ${id}`,
    lastFour: '0000',
    createdAtMs: 1,
    ...UNRESTRICTED,
  })

  /** Expires the leases of all processes. */
  const expireLeases = () => admin`UPDATE metering_processes SET leased_until = now() - interval '1 minute'`

  describe('several processes on one database', () => {
    test('600 concurrent requests get exactly the 100 of the month', async () => {
      await using one = await open()
      await using two = await openPatiently(url)
      await using three = await openPatiently(url)
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          [one, two, three][i % 3]!.usage.apply({ requests: times(10, charge), settlements: [] }),
        ),
      )
      const taken = results.flat().filter((result) => result.taken)
      expect(taken.map(({ used }) => used).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 100 }, (_, i) => i + 1),
      )
      expect(await usedOf(one)).toBe(100)
    })

    test('a change of plan, a suspension and a deactivation apply to the next request on each', async () => {
      await using one = await open()
      await using other = await openPatiently(url)
      await one.users.ensure(user)
      await one.keys.create(newKey('k1'), 2)
      const owner = () => other.keys.findOwner('hash of k1')
      expect(await owner()).toMatchObject({ plan: 'free' })
      await one.users.setPlan(user.email, { plan: 'growth' })
      expect(await owner()).toMatchObject({ plan: 'growth' })
      await one.users.suspend('u1', 2)
      expect(await owner()).toBeNull()
      await one.users.resume('u1')
      expect(await owner()).not.toBeNull()
      await one.keys.deactivate('u1', 'k1', 3)
      expect(await owner()).toMatchObject({ deactivatedAtMs: 3 })
    })

    test('keys that are created concurrently never exceed the maximum', async () => {
      await using one = await open()
      await using other = await openPatiently(url)
      await one.users.ensure(user)
      const created = await Promise.all(
        Array.from({ length: 12 }, (_, i) => (i % 2 ? one : other).keys.create(newKey(`k${i}`), 3)),
      )
      expect(created.filter((outcome) => outcome === 'created')).toHaveLength(3)
    })

    test('a key that is rotated many times concurrently has one successor', async () => {
      await using one = await open()
      await using other = await openPatiently(url)
      await one.users.ensure(user)
      await one.keys.create(newKey('k1'), 3)
      const rotated = await Promise.all(
        Array.from({ length: 6 }, (_, i) => (i % 2 ? one : other).keys.rotate('k1', newKey(`s${i}`), 100)),
      )
      expect(rotated.toSorted()).toEqual(['inactive', 'inactive', 'inactive', 'inactive', 'inactive', 'rotated'])
      expect(await one.keys.listOf('u1', 2)).toMatchObject({ total: 2, active: 1 })
      expect(await one.keys.find('k1')).toMatchObject({ replacedById: `s${rotated.indexOf('rotated')}` })
    })

    test('changed settings of a key apply to the next request on each', async () => {
      await using one = await open()
      await using other = await openPatiently(url)
      await one.users.ensure(user)
      await one.keys.create(newKey('k1'), 2)
      await one.users.setLogsUrls('u1', true)
      const changes = { expiresAtMs: 9, allowedHosts: ['a.example'], allowedAddresses: ['10.0.0.0/8'] }
      await one.keys.update('u1', 'k1', changes, 2)
      expect(await other.keys.findOwner('hash of k1')).toEqual({
        keyId: 'k1',
        userId: 'u1',
        plan: 'free',
        ...WITHOUT_RESTRICTIONS,
        logsUrls: true,
        expiresAtMs: 9,
        allowedHosts: ['a.example'],
        allowedRanges: rangesOf(['10.0.0.0/8']),
      })
    })

    test('a key with invalid addresses is rejected, and other keys of the same turn are found', async () => {
      await using stores = await open()
      await stores.users.ensure(user)
      for (const id of ['k1', 'k2']) await stores.keys.create(newKey(id), 2)
      await admin`UPDATE api_keys SET allowed_addresses = '["damaged"]' WHERE id = 'k1'`
      const [damaged, found] = await Promise.allSettled(
        ['k1', 'k2'].map((id) => stores.keys.findOwner(`hash of ${id}`)),
      )
      expect(damaged).toMatchObject({ status: 'rejected', reason: { message: 'not an address range: damaged' } })
      expect(found).toMatchObject({ status: 'fulfilled', value: { keyId: 'k2' } })
    })

    test('each due alert is taken by one of them', async () => {
      await using one = await open()
      await using other = await openPatiently(url)
      const ids = Array.from({ length: 20 }, (_, i) => `u${i}`)
      for (const userId of ids) {
        await one.users.ensure({ ...user, id: userId, email: `${userId}@example.com` })
        await one.alerts.setWebhook({ userId, url: 'https://a.example/', secret: 's', createdAtMs: 1 })
        const usage = { month: '2026-11', threshold: 80, used: 8, limit: 10, key: null } as const
        await one.alerts.record({ id: userId, userId, ...usage, createdAtMs: 1 })
      }
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? one : other).alerts.takeDue(2, 100, 5)),
      )
      const rest = await one.alerts.takeDue(2, 100, 50)
      const all = [...taken.flat(), ...rest]
      expect(all.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
      expect(new Set(all.map(({ attempts }) => attempts))).toEqual(new Set([1]))
    })

    test('the request log of a user stays bounded when all of them write to it', async () => {
      await using one = await open()
      await using other = await openPatiently(url)
      const userIds = ['u1', 'u2', 'u3']
      for (const id of userIds) await one.users.ensure({ ...user, id, email: `${id}@example.com` })
      await Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          const [first, ...others] = i % 3 ? userIds : userIds.toReversed()
          const requests = [first!, ...others].flatMap((userId) => {
            const logged = loggedRequest({ userId, requestId: `r${i}`, atMs: i })
            return [logged, logged]
          })
          const { requestLog } = i % 2 ? one : other
          await requestLog.append(requests)
          await requestLog.trim('userId', [first!, ...others], 5)
          await requestLog.trim('keyId', ['k1', 'k2'], 1_000)
        }),
      )
      for (const id of userIds) expect(await one.requestLog.list(id, null, 10)).toHaveLength(5)
    })

    test('two concurrent first sign-ins of a person create one account', async () => {
      await using one = await open()
      await using other = await openPatiently(url)
      const claim = { issuer: 'https://id.example', subject: '1', account: 'jo', name: 'Jo', verifiedEmail: user.email }
      const signIns = Array.from({ length: 6 }, (_, i) =>
        (i % 2 ? one : other).identities.signIn(claim, { id: `u${i}`, plan: 'free', createdAtMs: 1 }),
      )
      const ids = (await Promise.all(signIns)).map((signIn) => signIn.user?.id)
      expect(new Set(ids).size).toBe(1)
      expect(await one.users.list()).toHaveLength(1)
    })

    test('a result that one has stored is found by the others, and is replaced for all', async () => {
      await using one = await open()
      await using other = await openPatiently(url)
      const longUrl = `https://a.test/${'x'.repeat(70_000)}`
      await one.results.put(longUrl, { json: '1', storedAtMs: 1 })
      expect(await other.results.get(longUrl)).toEqual({ json: '1', storedAtMs: 1, layer: 'database' })
      await other.results.put(longUrl, { json: '2', storedAtMs: 2 })
      expect(await one.results.get(longUrl)).toMatchObject({ json: '2' })
    })
  })

  describe('a stopped process', () => {
    test('only its open reservations are released after its lease has expired', async () => {
      await using killed = await open()
      await using other = await openPatiently(url)
      await killed.usage.apply({ requests: [...times(5, reservation), ...times(2, charge)], settlements: [] })
      await killed.usage.apply({ requests: [], settlements: [settlement('fetched'), settlement('failed')] })
      expect([await other.sweepReservations(), await usedOf(other)]).toEqual([0, 6])
      await expireLeases()
      expect([await other.sweepReservations(), await usedOf(other)]).toEqual([3, 3])
      expect(await other.sweepReservations()).toBe(0)
    })

    test.each([
      ['fetched', 1],
      ['failed', 0],
    ] as const)('one that was only suspended still settles %s requests', async (outcome, used) => {
      await using stopped = await open()
      await stopped.usage.apply({ requests: times(2, reservation), settlements: [] })
      await expireLeases()
      await stopped.sweepReservations()
      await stopped.usage.apply({ requests: [], settlements: [settlement(outcome)] })
      expect(await usedOf(stopped)).toBe(used)
    })
  })

  describe('a lost connection', () => {
    test('a batch that was applied although its response was lost is undone', async () => {
      await using behind = await openBehindProxy()
      const { proxy, direct, stores } = behind
      await stores.usage.apply({ requests: [...times(3, reservation), charge], settlements: [] })
      const before = [await usedOf(direct), await direct.usage.days('u1', null, '2026-11-01')]
      proxy.loseResponses(true)
      const batch = {
        requests: [...times(3, charge), ...times(2, reservation)],
        settlements: [settlement('fetched'), settlement('failed')],
      }
      await expect(stores.usage.apply(batch)).rejects.toThrow('the database server cannot be reached')
      expect(await usedOf(direct)).toBe(8)
      await expect(stores.usage.apply(batch)).rejects.toThrow('the database server cannot be reached')
      proxy.loseResponses(false)
      await stores.usage.apply({ requests: [], settlements: [settlement('abandoned')] })
      expect([(await usedOf(direct)) + 1, await direct.usage.days('u1', null, '2026-11-01')]).toEqual(before)
      // Of the three reservations, two are open.
      await expireLeases()
      expect(await direct.sweepReservations()).toBe(2)
    })

    test('after a failover, connections are reopened to the new primary server', async () => {
      const own = await server.createDatabase()
      await (await openPatiently(own))[Symbol.asyncDispose]()
      const name = new URL(own).pathname.slice(1)
      await using stores = await openPatiently(own)
      // Only applies to new connections; the first call opens them.
      await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      await expect(stores.users.ensure(user)).rejects.toThrow('the database server is a read-only standby')
      await admin.unsafe(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
      expect(await stores.users.ensure(user)).toMatchObject(user)
    })

    test('a database that was restored to an earlier state continues metering', async () => {
      await using stores = await open()
      for (let i = 0; i < 3; i++) await stores.usage.apply({ requests: [charge], settlements: [] })
      await admin`UPDATE metering_processes SET batch = 1`
      expect(await stores.usage.apply({ requests: [charge], settlements: [] })).toEqual([{ taken: true, used: 4 }])
    })

    test('a batch is one round trip, as are the keys of one turn and the results of one turn', async () => {
      await using behind = await openBehindProxy()
      const { proxy, stores } = behind
      const calls = [
        () => stores.usage.apply({ requests: times(500, charge), settlements: [settlement('failed')] }),
        () => Promise.all(Array.from({ length: 500 }, (_, i) => stores.keys.findOwner(`hash of k${i % 20}`))),
        () => Promise.all(Array.from({ length: 500 }, (_, i) => stores.results.get(`https://a.test/${i}`))),
      ]
      // The first call prepares the statement and creates the row of the month.
      for (const call of calls) for (let i = 0; i < 2 * MAX_CONNECTIONS; i++) await call()
      for (const call of calls) {
        const before = proxy.roundTrips()
        await call()
        expect(proxy.roundTrips() - before).toBe(1)
      }
    })

    test(
      'a server that stops responding fails calls at their deadline, and works again without a restart',
      async () => {
        await using behind = await openBehindProxy({ callMs: 3_000, statementMs: 2_000 })
        const { proxy, stores } = behind
        await stores.users.ensure(user)
        const batch = { requests: [reservation, charge], settlements: [] }
        const callAll = () => [
          ...Array.from({ length: 20 }, () => stores.users.find('u1')),
          stores.keys.findOwner('h'),
          stores.usage.apply(batch),
        ]
        const opened = proxy.opened()
        try {
          await server.pause()
          // The lookup and the batch of the second turn wait until the first turn's have finished.
          const calls = callAll()
          await new Promise(setImmediate)
          calls.push(...callAll())
          for (const outcome of await Promise.allSettled(calls)) {
            expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StoreError', fault: 'timed_out' } })
          }
          for (let n = 0; n < 5; n++) {
            for (const outcome of await Promise.allSettled(callAll())) {
              expect(outcome).toMatchObject({ reason: { cause: { message: 'no response since an earlier deadline' } } })
            }
          }
          // One connection at a time tests the server, because the server keeps connections that are given up.
          expect(proxy.opened() - opened).toBeLessThan(MAX_CONNECTIONS)
        } finally {
          server.resume()
        }
        await until(() =>
          stores.ping().then(
            () => true,
            () => false,
          ),
        )
        expect(await stores.users.find('u1')).toMatchObject(user)
        const [result] = await stores.usage.apply({ requests: [reservation], settlements: [] })
        expect(result).toEqual({ taken: true, used: 1 })
      },
      PATIENT_TEST_MS,
    )

    test(
      'a server to which no connection can be opened fails calls immediately, until it can',
      async () => {
        await using stores = await openPostgres({ url, maxResults: 1 })
        await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'urlmeta'`
        const outcome = () =>
          stores.users.list().then(
            () => 'users',
            (error: StoreError) => messageOf(error.cause),
          )
        try {
          await server.pause()
          // The first calls find closed connections, or wait for new ones.
          await until(async () => (await outcome()) === 'no response since an earlier deadline')
          for (let n = 0; n < 5; n++) expect(await outcome()).toBe('no response since an earlier deadline')
        } finally {
          server.resume()
        }
        await until(async () => (await outcome()) === 'users')
        expect(await outcome()).toBe('users')
      },
      PATIENT_TEST_MS,
    )

    test(
      'a server that reads, but does not respond to writes, is used again once it writes',
      async () => {
        await admin.unsafe(deleteAllRows)
        // The client has to give up first: a statement that the server cancels is a response.
        await using stores = await openPostgres({
          url,
          maxResults: 1,
          deadlines: { callMs: 1_500, statementMs: 2_000 },
        })
        await admin.begin(async (tx) => {
          await tx`LOCK TABLE users, probe IN EXCLUSIVE MODE`
          await expect(stores.users.ensure(user)).rejects.toMatchObject({ fault: 'timed_out' })
          await until(async () => {
            const [row] = await admin`
            SELECT count(*)::int AS tests FROM pg_stat_activity
            WHERE query LIKE '%INSERT INTO probe%' AND wait_event_type = 'Lock'`
            return row.tests > 0
          })
          await expect(stores.users.list()).rejects.toMatchObject({
            cause: { message: 'no response since an earlier deadline' },
          })
        })
        await until(() =>
          stores.users.ensure(user).then(
            () => true,
            () => false,
          ),
        )
        expect(await stores.users.find('u1')).toMatchObject(user)
      },
      PATIENT_TEST_MS,
    )

    test(
      'a stopped server is reported immediately, and works again without a restart',
      async () => {
        await using stores = await open()
        await server.stop()
        await expect(stores.users.find('u1')).rejects.toThrow('the database server cannot be reached')
        await expect(stores.ping()).rejects.toThrow('the database server cannot be reached')
        await expect(openPostgres({ url, maxResults: 1 })).rejects.toThrow('the database server cannot be reached')
        await server.start()
        expect(await stores.users.find('u1')).toBeNull()
      },
      PATIENT_TEST_MS,
    )
  })

  describe('the schema', () => {
    const migrated = async (sql: SQL) => Number((await sql`SELECT count(*) AS n FROM urlmeta_migrations`)[0].n)

    test(
      'ten processes that start together on an empty database migrate it once',
      async () => {
        const empty = await server.createDatabase()
        const opened = await Promise.all(Array.from({ length: 10 }, () => openPatiently(empty)))
        await using sql = new SQL({ url: empty, max: 1 })
        expect(await migrated(sql)).toBe(MIGRATIONS.length)
        for (const stores of opened) await stores[Symbol.asyncDispose]()
      },
      PATIENT_TEST_MS,
    )

    test('the lock of a process that was killed while it migrated expires', async () => {
      const empty = await server.createDatabase()
      await using sql = new SQL({ url: empty, max: 1 })
      await sql`CREATE TABLE urlmeta_migration_lock (id int PRIMARY KEY, owner text, expires_at timestamptz)`
      await sql`INSERT INTO urlmeta_migration_lock VALUES (1, 'killed', now() + interval '300 ms')`
      await using stores = await openPatiently(empty)
      expect([await stores.users.list(), await migrated(sql)]).toEqual([[], MIGRATIONS.length])
    })

    test.each([
      ['of a newer version', `UPDATE urlmeta_migrations SET created_at = 99999999999999`, 'a newer version of urlmeta'],
      ['of another program', `DROP TABLE urlmeta_migrations`, 'belongs to another program'],
    ])('a database %s is rejected', async (_, statement, message) => {
      const other = await server.createDatabase()
      await (await openPostgres({ url: other, maxResults: 1 }))[Symbol.asyncDispose]()
      await using sql = new SQL({ url: other, max: 1 })
      await sql.unsafe(statement)
      await expect(openPostgres({ url: other, maxResults: 1 })).rejects.toThrow(message)
    })

    test.each([
      ['another database', (text: string) => text.replace(/\w+$/, 'nothing'), 'there is no such database'],
      ['a port without a server', (text: string) => text.replace(/:\d+\//, ':1/'), 'cannot be reached'],
      ['an unknown user', (text: string) => text.replace('urlmeta:', 'nobody:'), 'denies access'],
    ])('%s is rejected', async (_, urlOf, message) => {
      await expect(openPostgres({ url: urlOf(url), maxResults: 1 })).rejects.toThrow(message)
    })
  })

  test('a search finds users by name and address in any spelling', async () => {
    await using stores = await open()
    const claim = {
      issuer: 'https://id.example',
      subject: '1',
      account: 'jo',
      name: 'Jörg STRAßE',
      verifiedEmail: user.email,
    }
    await stores.identities.signIn(claim, { id: 'u1', plan: 'free', createdAtMs: 1 })
    const found = async (text: string) => (await stores.users.search({ ...everybody, text })).total
    expect(await Promise.all(['jörg', 'JO\u0308RG', 'strasse', 'EXAMPLE.com', '\0', 'a%'].map(found))).toEqual([
      1, 1, 1, 1, 0, 0,
    ])
  })

  test('U+0000 in text, which PostgreSQL cannot store, is replaced', async () => {
    await using stores = await open()
    const [{ id }, session] = [
      await stores.users.ensure(user),
      { id: 's1', userId: 'u1', userAgent: 'a\0b', createdAtMs: 1, lastSeenAtMs: 1, expiresAtMs: 9 },
    ]
    await stores.sessions.open({ ...session, tokenHash: 'h' }, null)
    expect(await stores.sessions.list(id, 2)).toMatchObject([{ userAgent: 'a\uFFFDb' }])
    expect(await stores.users.find('u1\0')).toBeNull()
    expect(await stores.sessions.revoke('u1', '\0')).toBe(false)
  })

  test('the probe reads and writes, and reports the fault', async () => {
    const own = await server.createDatabase()
    await using stores = await openPatiently(own)
    await stores.ping()
    await using sql = new SQL({ url: own, max: 1 })
    expect(await sql`SELECT id FROM probe`).toHaveLength(1)
    // Its absence stops no request.
    await sql`DROP TABLE audit_log`
    {
      await using other = await openPatiently(own)
      await other.ping()
    }
    const [{ file }] = await sql`SELECT pg_relation_filepath('sessions') AS file`
    const move = (from: string, to: string) =>
      sql.unsafe(`COPY (SELECT) TO PROGRAM 'cat > /dev/null; mv ${from} ${to}'`)
    await move(file, `${file}.gone`)
    {
      await using other = await openPatiently(own)
      await expect(other.ping()).rejects.toThrow('the database is damaged')
      await move(`${file}.gone`, file)
    }
    await sql`DROP TABLE tickets`
    // The first process reuses its result for a second.
    await using other = await openPatiently(own)
    await expect(other.ping()).rejects.toThrow('the database is damaged')
    expect(await other.bytes()).toBeGreaterThan(0)
  })
})
