import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { buildExecutable, EXECUTABLE, openWorkplace } from './executable.ts'
import { failCalls, failingCalls } from './failing-calls.ts'
import { describeProgram } from './requirements.ts'
import { createKey, openSite, until } from './site.ts'
import { describeRoot } from './small-disk.ts'

const site = openSite()
const ENV = { ...site.env, URLMETA_PLAN_FREE_PER_MINUTE: '100000' }

beforeAll(buildExecutable, 60_000)
afterAll(() => site.close())

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
        await using place = openWorkplace()
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
          expect(service.output()).toContain('the disk reports an error: disk I/O error')
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

    test.concurrent.each([
      ['writing', 'pwrite64'],
      ['syncing', 'fsync,fdatasync'],
      ['reading', 'pread64'],
    ])('errors while %s, at the start: the server and commands report it in one line', async (_, calls) => {
      await using place = openWorkplace()
      await createKey(place)
      const path = join(place.dir, 'data/urlmeta.db')
      const traced = [strace, ...failingCalls(calls, [path, `${path}-wal`]), EXECUTABLE].join(' ')
      for (const command of ['serve', 'key list', 'key create --email b@example.com']) {
        const { code, stdout, stderr } = await place.shell(`${traced} ${command}`, { URLMETA_PORT: '0' })
        expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([
          1,
          '',
          [expect.stringContaining('the disk reports an error. Check the kernel log')],
        ])
      }
    })

    test.concurrent.each([
      // The link that keeps the previous database, and the rename that replaces it. strace compares paths as they are given.
      ['the previous database cannot be kept', 'link,linkat', 'data/urlmeta.db'],
      ['the database cannot be replaced', 'rename,renameat,renameat2', 'data/urlmeta.db.restoring'],
    ])('a restore changes nothing if %s', async (_, calls, file) => {
      await using place = openWorkplace()
      const key = await createKey(place)
      await place.run(['backup', 'copy.db'])
      {
        const service = await place.serve(ENV)
        expect((await site.request(service, key, '/page')).status).toBe(200)
        // The charge is in the write-ahead log only.
        service.kill('SIGKILL')
        await service.exited
      }
      const filesOf = () => readdirSync(join(place.dir, 'data')).filter((name) => name.startsWith('urlmeta.db'))
      const before = filesOf()
      expect(before).toContain('urlmeta.db-wal')
      const traced = [strace, '-qq', ...failingCalls(calls, [file]), EXECUTABLE].join(' ')
      const { code, stderr } = await place.shell(`${traced} restore copy.db`)
      expect([code, stderr]).toEqual([1, expect.stringContaining('the disk reports an error; nothing was changed')])
      expect(filesOf().toSorted()).toEqual(before.toSorted())
      using database = new Database(join(place.dir, 'data/urlmeta.db'))
      expect(database.query('SELECT used FROM monthly_usage').values()).toEqual([[1]])
    })
  })
})
