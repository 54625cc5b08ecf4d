import { Database } from 'bun:sqlite'
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

import { CHECKPOINT_BYTES } from '../src/store/sqlite/checkpoint.ts'
import { EXECUTABLE, openWorkspace } from './executable.ts'
import { failCalls, failingCalls } from './failing-calls.ts'
import { describeProgram } from './requirements.ts'
import { createKey } from './new-key.ts'
import { openSite, until } from './site.ts'
import { describeRoot } from './small-disk.ts'
import { typicalCases } from './thorough.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite()
const ENV = { ...site.env, URLMETA_PLAN_FREE_PER_MINUTE: '100000' }

afterAll(() => site.close())

/** Makes the write-ahead log of a database so long that a checkpoint is due. */
function writeLongLog(path: string) {
  using database = new Database(path)
  // The server may be writing.
  database.run('PRAGMA busy_timeout = 5000')
  database.run('PRAGMA wal_autocheckpoint = 0')
  const row = ['long', 'x'.repeat(CHECKPOINT_BYTES)]
  database.run('INSERT INTO tickets (hash, payload, expires_at) VALUES (?, ?, 0)', row)
}

describeRoot('I/O errors of the database', () => {
  describeProgram('strace', (strace) => {
    test.concurrent.each([
      // Without the write-ahead log, usage cannot be counted.
      ['writing', 'pwrite64', [500]],
      // Commits go to the write-ahead log, which is not synced before the next checkpoint. Pages that are not cached in
      // memory cannot be read.
      ['syncing', 'fsync,fdatasync', [200]],
      ['reading', 'pread64', [200, 500]],
    ])(
      'errors while %s: not ready, every response is charged; recovers without a restart',
      async (_, calls, expected) => {
        await using place = openWorkspace()
        const key = await createKey(place)
        const service = await place.serve(ENV)
        const path = join(place.dir, 'data/urlmeta.db')
        let answered = 0
        async function request(name: string) {
          const response = await site.request(service, key, name)
          if (response.status === 200) expect(response.headers.get('x-monthly-used')).toBe(String(++answered))
          return response.status
        }
        const isReady = async () => (await fetch(`${service.url}/readyz`)).status === 200

        expect(await request('/before')).toBe(200)
        {
          await using _faults = await failCalls(strace, service.pid, calls, [path, `${path}-wal`])
          await until(async () => !(await isReady()))
          const readiness = await fetch(`${service.url}/readyz`)
          expect([readiness.status, await readiness.json()]).toEqual([
            503,
            { status: 'unavailable', reason: 'the disk reports an error' },
          ])
          // The log is read from a pipe, so its line can come after the response.
          await until(() => /the disk reports an error: (disk I\/O error|EIO)/.test(service.output()))
          for (let n = 0; n < 10; n++) expect(expected).toContain(await request(n % 2 === 0 ? '/before' : `/${n}`))
        }
        await until(isReady)
        expect(await request('/after')).toBe(200)
        service.kill('SIGTERM')
        expect(await service.exited).toBe(0)
        using database = new Database(path)
        expect(database.query('SELECT used FROM monthly_usage').values()).toEqual([[answered]])
        expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
      },
    )

    const failing = [
      ['writing', 'pwrite64'],
      ['syncing', 'fsync,fdatasync'],
      ['reading', 'pread64'],
    ] as const
    const atStart = typicalCases(failing, ([name]) => name === 'writing')
    test.concurrent.each(atStart)(
      'errors while %s, at the start: the server and commands report it in one line',
      async (name, calls) => {
        await using place = openWorkspace()
        await createKey(place)
        const path = join(place.dir, 'data/urlmeta.db')
        const traced = [strace, ...failingCalls(calls, [path, `${path}-wal`]), EXECUTABLE].join(' ')
        const reading = name === 'reading' ? ['key list'] : []
        for (const command of ['serve', 'key create --email b@example.com', ...reading]) {
          const { code, stdout, stderr } = await place.shell(`${traced} ${command}`, { URLMETA_PORT: '0' })
          expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([
            1,
            '',
            [expect.stringMatching(/the disk reports an error(?: \(disk I\/O error\))?\. Check the kernel log/)],
          ])
        }
      },
    )

    test.concurrent('a checkpoint that waits for the disk does not delay the check of readiness', async () => {
      await using place = openWorkspace()
      const service = await place.serve(ENV)
      const path = join(place.dir, 'data/urlmeta.db')
      const calls = join(place.dir, 'calls')
      // The database is not synced in the lifetime of the test; its write-ahead log is.
      await using _trace = await failCalls(strace, service.pid, 'fsync', [path], 'delay_enter=600s', calls)
      writeLongLog(path)
      await until(() => readFileSync(calls, 'utf8').includes('fsync'))
      expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ok' })
    })

    test.concurrent('a long write-ahead log is copied and synced in another thread', async () => {
      await using place = openWorkspace()
      const key = await createKey(place)
      const service = await place.serve(ENV)
      const path = join(place.dir, 'data/urlmeta.db')
      const calls = join(place.dir, 'calls')
      expect((await site.request(service, key, '/page')).status).toBe(200)
      // Nothing else is written then: a transaction right after a checkpoint syncs the start of the log.
      await until(() => valuesIn(path, 'SELECT count(*) FROM request_log')[0]![0] === 1)
      {
        await using _trace = await failCalls(strace, service.pid, 'fsync', [path, `${path}-wal`], 'delay_exit=1', calls)
        writeLongLog(path)
        await until(() => statSync(`${path}-wal`).size < CHECKPOINT_BYTES)
        expect((await site.request(service, key, '/page')).status).toBe(200)
      }
      const threads = readFileSync(calls, 'utf8').matchAll(/^(\d+) +fsync/gm)
      const ids = new Set(Array.from(threads, ([, id]) => Number(id)))
      expect([ids.size > 0, ids.has(service.pid)]).toEqual([true, false])
      service.kill('SIGTERM')
      expect(await service.exited).toBe(0)
      expect(existsSync(`${path}-wal`)).toBe(false)
      expect(usedIn(path)).toEqual([[2]])
    })

    test.concurrent('scheduled backups are listed, and written to disk, in other threads and processes', async () => {
      await using place = openWorkspace()
      const backups = join(place.dir, 'backups')
      mkdirSync(backups)
      await createKey(place)
      // Due in five seconds; the schedule is checked every ten seconds.
      const early = join(backups, 'urlmeta-20260101T000000Z.db')
      await place.run(['backup', early])
      const seconds = Date.now() / 1_000 - 55
      const named = new Date(seconds * 1_000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
      renameSync(early, join(backups, `urlmeta-${named}.db`))
      utimesSync(join(backups, `urlmeta-${named}.db`), seconds, seconds)
      const service = await place.serve({ ...ENV, URLMETA_BACKUP_DIR: backups, URLMETA_BACKUP_EVERY: '1m' })
      const calls = join(place.dir, 'calls')
      {
        await using _trace = await failCalls(strace, service.pid, 'fsync,getdents64', [backups], 'delay_exit=1', calls)
        await until(() => service.output().includes('backup written'))
      }
      const made = [...readFileSync(calls, 'utf8').matchAll(/^(\d+) +(fsync|getdents64)/gm)]
      expect(new Set(made.map(([, , call]) => call))).toEqual(new Set(['fsync', 'getdents64']))
      expect(made.filter(([, id]) => Number(id) === service.pid)).toEqual([])
    })

    /** A database with a charge that is only in its write-ahead log, and a backup without it. */
    async function openCrashed() {
      await using stack = new AsyncDisposableStack()
      const place = stack.use(openWorkspace())
      const key = await createKey(place)
      await place.run(['backup', 'copy.db'])
      const service = await place.serve(ENV)
      expect((await site.request(service, key, '/page')).status).toBe(200)
      service.kill('SIGKILL')
      await service.exited
      const filesOf = () => readdirSync(join(place.dir, 'data')).filter((name) => name.startsWith('urlmeta.db'))
      expect(filesOf()).toContain('urlmeta.db-wal')
      const owned = stack.move()
      return {
        path: join(place.dir, 'data/urlmeta.db'),
        filesOf: () => filesOf().toSorted(),
        restore: (args: string[]) => place.shell([strace, '-qq', ...args, EXECUTABLE, 'restore copy.db'].join(' ')),
        [Symbol.asyncDispose]: () => owned.disposeAsync(),
      }
    }
    const valuesIn = (path: string, query: string) => {
      using database = new Database(path)
      return database.query(query).values()
    }
    const usedIn = (path: string) => valuesIn(path, 'SELECT used FROM monthly_usage')

    // strace compares paths as they are given.
    const RENAMES = 'rename,renameat,renameat2'
    const DRAFT = 'data/urlmeta.db.restoring'

    test.concurrent.each([
      ['the previous database cannot be kept', failingCalls('link,linkat', ['data/urlmeta.db'])],
      ['the database cannot be replaced', failingCalls(RENAMES, [DRAFT])],
      // SQLite and the name of the previous database cause one call each.
      ['the replacement cannot be written to disk', failingCalls('fsync', ['data'], 'error=EIO:when=3')],
    ])('a restore changes nothing if %s', async (_, faults) => {
      await using crashed = await openCrashed()
      // While another process reads the database, its write-ahead log cannot be merged.
      using reader = new Database(crashed.path)
      reader.run('BEGIN')
      reader.query('SELECT * FROM users').all()
      const before = [crashed.filesOf(), statSync(crashed.path).ino]
      const { code, stderr } = await crashed.restore(faults)
      expect([code, stderr]).toEqual([1, expect.stringContaining('the disk reports an error; nothing was changed')])
      expect([crashed.filesOf(), statSync(crashed.path).ino]).toEqual(before)
      expect(usedIn(crashed.path)).toEqual([[1]])
    })

    test.concurrent('a restore that is killed leaves the previous database complete', async () => {
      await using crashed = await openCrashed()
      const { code } = await crashed.restore(failingCalls(RENAMES, [DRAFT], 'signal=SIGKILL'))
      expect(code).not.toBe(0)
      // The process was killed after the previous database was linked to its new name.
      expect(crashed.filesOf()).toContainEqual(expect.stringContaining('before-restore'))
      expect(usedIn(crashed.path)).toEqual([[1]])
    })
  })
})
