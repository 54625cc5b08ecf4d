import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import type { ResultCache } from '../../src/core/fetch/result-cache.ts'
import { inSteps, STEP_ROWS } from '../../src/store/sqlite/in-steps.ts'
import { CHECKPOINT_BYTES, walBytes } from '../../src/store/sqlite/checkpoint.ts'
import { openDatabaseFile } from '../../src/store/sqlite/database-file.ts'
import { startDiskThread } from '../../src/store/sqlite/disk-thread.ts'
import { cachePathOf, openSqlite } from '../../src/store/sqlite/open.ts'
import { probe } from '../../src/store/sqlite/probe.ts'
import { accountsContract } from './accounts-contract.ts'
import { auditLogContract } from './audit-log-contract.ts'
import { identitiesContract } from './identities-contract.ts'
import { renderedHostsContract } from './rendered-hosts-contract.ts'
import { requestLogContract } from './request-log-contract.ts'
import { resultBoundContract, resultCacheContract } from './result-cache-contract.ts'
import { sessionsContract } from './sessions-contract.ts'
import { openTemporary } from './temporary-sqlite.ts'
import { sharedResultsContract } from './shared-results-contract.ts'
import { ticketsContract } from './tickets-contract.ts'
import { usageAlertsContract } from './usage-alerts-contract.ts'
import { usageContract } from './usage-contract.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

// Closing files waits for the disk.
setDefaultTimeout(PATIENT_TEST_MS)

/** How many files this process has open at a path or next to it. */
const openFilesOf = (path: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
    } catch {
      return false
    }
  }).length

const open = (maxResults = 100) => openTemporary({ maxResults })

accountsContract('sqlite', () => open())
usageContract('sqlite', () => open())
identitiesContract('sqlite', () => open())
sessionsContract('sqlite', () => open())
ticketsContract('sqlite', () => open())
sharedResultsContract('sqlite', () => open())
auditLogContract('sqlite', () => open())
requestLogContract('sqlite', () => open())
usageAlertsContract('sqlite', () => open())
resultCacheContract('sqlite', open)
resultBoundContract('sqlite', open)
renderedHostsContract('sqlite', () => open())

/** Puts results with the keys `k0`, `k1` … */
async function putMany(results: ResultCache, howMany: number, json: string) {
  await Promise.all(Array.from({ length: howMany }, (_, i) => results.put(`k${i}`, { json, storedAtMs: i })))
}

/** Waits for the next turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a database file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-sqlite-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const user = { id: 'u1', email: 'jo@example.com', plan: 'free' as const, createdAtMs: 1 }

  test('keeps its rows and the limit on results after it is reopened', async () => {
    const path = join(folder, 'kept.db')
    {
      using stores = openSqlite(path, { maxResults: 2 })
      await stores.users.ensure(user)
      await stores.results.put('a', { json: '{}', storedAtMs: 1 })
      await stores.results.put('b', { json: '{}', storedAtMs: 2 })
    }
    using stores = openSqlite(path, { maxResults: 2 })
    expect(await stores.users.list()).toMatchObject([user])
    await stores.results.put('c', { json: '{}', storedAtMs: 3 })
    expect(await stores.results.get('a')).toBeNull()
    expect(await stores.results.get('b')).not.toBeNull()
  })

  test('stores results that were put just before it is closed', async () => {
    const path = join(folder, 'last-put.db')
    const stores = openSqlite(path, { maxResults: 3 })
    const puts = Promise.all([1, 2].map((storedAtMs) => stores.results.put('k', { json: '{}', storedAtMs })))
    stores[Symbol.dispose]()
    await puts
    using reopened = openSqlite(path, { maxResults: 3 })
    expect(await reopened.results.get('k')).toMatchObject({ json: '{}', storedAtMs: 2 })
    expect(await reopened.results.count()).toBe(1)
  })

  test.each([
    ['new', () => {}],
    ['readable by others', (path: string) => openSqlite(path, { maxResults: 1 })[Symbol.dispose]()],
  ])('%s, in a public directory, has mode 0600, as have the files beside it', async (name, make) => {
    const shared = join(folder, name)
    mkdirSync(shared)
    chmodSync(shared, 0o755)
    const path = join(shared, 'urlmeta.db')
    make(path)
    for (const file of readdirSync(shared)) chmodSync(join(shared, file), 0o644)
    using stores = openSqlite(path, { maxResults: 1 })
    await stores.users.ensure(user)
    const modes = readdirSync(shared).map((file) => [file, (statSync(join(shared, file)).mode & 0o777).toString(8)])
    expect(modes.toSorted()).toEqual([
      ['urlmeta.db', '600'],
      ['urlmeta.db-shm', '600'],
      ['urlmeta.db-wal', '600'],
    ])
  })

  test('a second process sees a change immediately', async () => {
    const path = join(folder, 'shared.db')
    using server = openSqlite(path, { maxResults: 10 })
    using command = openSqlite(path, { maxResults: 10 })
    await server.users.ensure(user)
    const key = { id: 'k1', userId: 'u1', name: 'k', hash: 'h', lastFour: '0000', createdAtMs: 1, ...UNRESTRICTED }
    await server.keys.create(key, 2)
    expect(await server.keys.findOwner('h')).toMatchObject({ plan: 'free' })
    await command.users.setPlan(user.email, { plan: 'growth' })
    await turn()
    expect(await server.keys.findOwner('h')).toMatchObject({ plan: 'growth' })
    await command.keys.deactivate('u1', 'k1', 2)
    await turn()
    expect(await server.keys.findOwner('h')).toMatchObject({ deactivatedAtMs: 2 })
  })

  test('of 600 concurrent requests over two connections, exactly the limit of 100 is granted', async () => {
    const path = join(folder, 'shared-month.db')
    using one = openSqlite(path, { maxResults: 10 })
    using other = openSqlite(path, { maxResults: 10 })
    const request = { unit: { userId: 'u1', keyId: 'k1', month: '2026-11' }, limit: 100, chargedAtMs: 1 }
    const results = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        await turn()
        const batch = { requests: Array.from({ length: 10 }, () => request), settlements: [] }
        return (i % 2 === 0 ? one : other).usage.apply(batch)
      }),
    )
    const taken = results.flat().filter((result) => result.taken)
    expect(taken.map(({ used }) => used).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    expect(await other.usage.used(['u1'], '2026-11')).toEqual(new Map([['u1', 100]]))
  })

  test('a transaction of several statements is complete before the next statement of this process', async () => {
    const path = join(folder, 'one-turn.db')
    using stores = openSqlite(path, { maxResults: 1 })
    using other = new Database(path)
    const ensured = stores.users.ensure(user)
    expect(other.query('SELECT id FROM users').all()).toEqual([{ id: 'u1' }])
    await ensured
  })

  test('looking up a key or a session prepares no statement', async () => {
    using stores = open()
    const prepare = spyOn(Database.prototype, 'prepare')
    for (const hash of ['a', 'b']) {
      expect(await stores.keys.findOwner(hash)).toBeNull()
      expect(await stores.sessions.find(hash, 1)).toBeNull()
    }
    const prepared = prepare.mock.calls.map(([text]) => text)
    prepare.mockRestore()
    expect(prepared).toEqual([])
  })

  test('a batch that cannot be written is rolled back', async () => {
    const path = join(folder, 'full.db')
    using stores = openSqlite(path, { maxResults: 10 })
    const other = new Database(path)
    // As on a full disk: the month can be written, but the day cannot.
    other.run(`CREATE TRIGGER full BEFORE INSERT ON daily_usage BEGIN SELECT RAISE(ABORT, 'disk is full'); END`)
    const unit = { userId: 'u1', keyId: 'k1', month: '2026-11' }
    const batch = { requests: [{ unit, limit: 9, chargedAtMs: 1 }], settlements: [] }
    await expect(stores.usage.apply(batch)).rejects.toThrow()
    expect(await stores.usage.months('u1')).toEqual([])
    other.run('DROP TRIGGER full')
    other.close()
    expect(await stores.usage.apply(batch)).toEqual([{ taken: true, used: 1 }])
  })

  test('waits for the write lock of another process, without blocking the event loop', async () => {
    const path = join(folder, 'locked.db')
    using stores = openSqlite(path, { maxResults: 10 })
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    const pending = stores.users.ensure(user)
    let turns = 0
    for (; turns < 20; turns++) await Bun.sleep(1)
    other.run('COMMIT')
    other.close()
    expect(await pending).toMatchObject({ id: user.id })
    expect(turns).toBe(20)
  })

  test('a sweep waits for the write lock at every step', async () => {
    const path = join(folder, 'locked-steps.db')
    using database = new Database(path)
    database.run('PRAGMA journal_mode = WAL')
    database.run('PRAGMA busy_timeout = 0')
    database.run('CREATE TABLE old (id INTEGER PRIMARY KEY)')
    database.run('INSERT INTO old VALUES (1), (2), (3)')
    using other = new Database(path)
    let tries = 0
    const swept = inSteps(() => {
      tries++
      if (tries === 2) {
        other.run('BEGIN IMMEDIATE')
        setTimeout(() => other.run('COMMIT'), 20)
      }
      return database.run('DELETE FROM old WHERE id = (SELECT min(id) FROM old)').changes
    })
    expect(await swept).toBe(3)
    expect(tries).toBeGreaterThan(4)
  })

  test('is in WAL mode', () => {
    const path = join(folder, 'pragmas.db')
    using _ = openSqlite(path, { maxResults: 1 })
    const other = new Database(path)
    expect(other.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    other.close()
  })

  describe('with a thread that waits for the disk', () => {
    const exits = () => URL.createObjectURL(new Blob(['process.exit(1)'], { type: 'application/javascript' }))

    test.each([
      ['in the thread', undefined, 0],
      ['on the main thread, if the thread ends', exits(), 1],
    ])('a long write-ahead log is copied %s', async (name, entry, expectedEnds) => {
      const path = join(folder, `${name}.db`)
      let ends = 0
      await using thread = startDiskThread(() => void ends++, entry)
      using stores = openSqlite(path, { maxResults: 10_000, thread })
      const payload = 'x'.repeat(CHECKPOINT_BYTES)
      await stores.tickets.issue({ hash: 't', payload, expiresAtMs: 2 })
      await stores.ping()
      // The commits have copied nothing.
      expect([statSync(path).size < CHECKPOINT_BYTES, walBytes(path) > CHECKPOINT_BYTES]).toEqual([true, true])
      await stores.checkpoint()
      expect([statSync(path).size > CHECKPOINT_BYTES, walBytes(path) < 10_000]).toEqual([true, true])
      expect(ends).toBe(expectedEnds)
      expect(await stores.tickets.redeem('t', 1)).toBe(payload)
    })

    test('a checkpoint that fails does not prevent the next one', async () => {
      const path = join(folder, 'failing.db')
      await using thread = startDiskThread(() => {})
      using file = openDatabaseFile(path, thread)
      file.database.run('CREATE TABLE rows (text TEXT)')
      file.database.run('INSERT INTO rows VALUES (?)', ['x'.repeat(20_000)])
      await expect(thread.run({ path, fileId: 'another file' })).rejects.toMatchObject({ fault: 'missing' })
      expect(walBytes(path)).toBeGreaterThan(20_000)
      await file.checkpoint(0)
      expect(walBytes(path)).toBeLessThan(10_000)
    })

    test.skipIf(process.platform !== 'linux')('checkpoints leave no files open', async () => {
      const path = join(folder, 'files.db')
      await using thread = startDiskThread(() => {})
      using _ = openSqlite(path, { maxResults: 1, thread })
      using file = openDatabaseFile(path, thread)
      // SQLite keeps those of the first checkpoint for the next one.
      await file.checkpoint(0)
      const files = openFilesOf(path)
      for (let i = 0; i < 3; i++) await file.checkpoint(0)
      expect(openFilesOf(path)).toBe(files)
    })

    test.skipIf(process.platform !== 'linux')('a file that is not a database is not left open', () => {
      const path = join(folder, 'garbage.db')
      writeFileSync(path, 'x'.repeat(4_096))
      expect(() => openDatabaseFile(path)).toThrow('file is not a database')
      expect(openFilesOf(path)).toBe(0)
    })

    test('a probe does not create the file', async () => {
      const path = join(folder, 'deleted.db')
      await expect(probe(path)).rejects.toThrow('unable to open database file')
      expect(readdirSync(folder)).not.toContain('deleted.db')
    })

    test('it is kept while another process reads, which delays nothing', async () => {
      const path = join(folder, 'read.db')
      await using thread = startDiskThread(() => {})
      using stores = openSqlite(path, { maxResults: 1, thread })
      using other = new Database(path)
      other.run('BEGIN')
      other.query('SELECT * FROM users').all()
      await stores.tickets.issue({ hash: 't', payload: 'x'.repeat(CHECKPOINT_BYTES), expiresAtMs: 2 })
      await stores.checkpoint()
      expect(walBytes(path)).toBeGreaterThan(CHECKPOINT_BYTES)
      other.run('ROLLBACK')
      await stores.checkpoint()
      expect(walBytes(path)).toBeLessThan(10_000)
    })

    test('a file that replaced the database is not opened', async () => {
      const path = join(folder, 'replaced.db')
      await using thread = startDiskThread(() => {})
      using file = openDatabaseFile(path, thread)
      renameSync(path, `${path}.old`)
      writeFileSync(path, '')
      for (const run of [file.probe, file.checkpoint]) await expect(run(0)).rejects.toThrow('deleted or replaced')
      expect(statSync(path).size).toBe(0)
    })

    test('the cache is copied, too', async () => {
      const path = join(folder, 'with-cache.db')
      await using thread = startDiskThread(() => {})
      using stores = openSqlite(path, { maxResults: 10, thread })
      await stores.results.put('k', { json: 'x'.repeat(CHECKPOINT_BYTES), storedAtMs: 1 })
      await stores.checkpoint()
      const cache = cachePathOf(path)
      expect([statSync(cache).size > CHECKPOINT_BYTES, walBytes(cache) < 10_000]).toEqual([true, true])
    })
  })

  test('a sweep yields after each step', async () => {
    using stores = openSqlite(join(folder, 'steps.db'), { maxResults: 10_000 })
    await putMany(stores.results, 20 * STEP_ROWS, '{}')
    let turns = 0
    let next: NodeJS.Immediate
    const countTurn = () => {
      turns++
      next = setImmediate(countTurn)
    }
    countTurn()
    expect(await stores.results.sweep(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).toBe(20 * STEP_ROWS)
    clearImmediate(next!)
    expect(turns).toBeGreaterThanOrEqual(20)
  })

  test('the files shrink after a sweep', async () => {
    const path = join(folder, 'room.db')
    const sizes = () =>
      ['room.db', 'room-cache.db'].map((file) => Math.ceil(statSync(join(folder, file)).size / 2 ** 20))
    {
      using stores = openSqlite(path, { maxResults: 10_000 })
      const json = 'x'.repeat(5_000)
      await putMany(stores.results, 3_000, json)
      for (let i = 0; i < 3_000; i++) await stores.tickets.issue({ hash: `t${i}`, payload: json, expiresAtMs: i })
    }
    const [full, fullCache] = sizes()
    expect([full! > 10, fullCache! > 10]).toEqual([true, true])
    {
      using stores = openSqlite(path, { maxResults: 10_000 })
      await stores.results.sweep(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      await stores.tickets.sweep(Number.MAX_SAFE_INTEGER)
      await stores.shrink()
    }
    // Some free pages are kept for the next rows.
    const [small, smallCache] = sizes()
    expect([small! <= 6, smallCache! <= 6]).toEqual([true, true])
  })

  test('a cache whose results have expired is compacted, with the rest', async () => {
    const path = join(folder, 'compacted.db')
    const cachePath = join(folder, 'compacted-cache.db')
    using stores = openSqlite(path, { maxResults: 10_000 })
    await putMany(stores.results, 1_500, 'x'.repeat(50_000))
    await stores.results.put('kept', { json: '{}', storedAtMs: 10_000 })
    await stores.renderedHosts.put({ host: 'app.example', confirmedAtMs: 10_000 })
    await stores.results.sweep(10_000, Number.MAX_SAFE_INTEGER)
    await stores.shrink()
    const { size, mode } = statSync(cachePath)
    expect([size < 100_000, mode & 0o777]).toEqual([true, 0o600])
    expect(await stores.results.get('kept')).toMatchObject({ json: '{}', storedAtMs: 10_000 })
    expect([await stores.results.count(), (await stores.renderedHosts.list()).length]).toEqual([1, 1])
    await stores.results.put('new', { json: '{}', storedAtMs: 10_001 })
    expect(readdirSync(folder).filter((name) => /^compacted-cache.*(compact|old)$/.test(name))).toEqual([])
  })

  test('ping fails without a table', async () => {
    const path = join(folder, 'without-a-table.db')
    using stores = openSqlite(path, { maxResults: 1 })
    using other = new Database(path)
    other.run('DROP TABLE tickets')
    await expect(stores.ping()).rejects.toThrow('the database is damaged')
  })

  test('ping does not open another file that replaced the database', async () => {
    const path = join(folder, 'replaced.db')
    using stores = openSqlite(path, { maxResults: 1 })
    renameSync(path, `${path}.old`)
    copyFileSync(`${path}.old`, path)
    await expect(stores.ping()).rejects.toThrow('the database file was deleted or replaced')
  })

  test('reports a file that is not a database', async () => {
    const path = join(folder, 'not-a.db')
    await Bun.write(
      path,
      'this is a text file, not a database, and long enough to have a header of one hundred bytes. '.repeat(9),
    )
    expect(() => openSqlite(path, { maxResults: 1 })).toThrow('file is not a database')
  })

  test('can be opened by eight processes at the same time', async () => {
    const script = `import { openSqlite } from '${join(import.meta.dir, '../../src/store/sqlite/open.ts')}'
      using stores = openSqlite('${join(folder, 'race.db')}', { maxResults: 1 }); await stores.ping()`
    const children = Array.from({ length: 8 }, () =>
      Bun.spawn([process.execPath, '-e', script], { stderr: 'pipe', stdout: 'ignore' }),
    )
    const codes = await Promise.all(children.map((child) => child.exited))
    expect(codes).toEqual(codes.map(() => 0))
  })
})
