import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

import { buildExecutable, openWorkplace, type Workplace } from './executable.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response('<!doctype html><title>A page</title><link rel=icon href=/icon.png>', { headers: HTML }),
})
const ENV = {
  URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
  URLMETA_PLAN_FREE_PER_MINUTE: '100000',
  URLMETA_PLAN_FREE_PER_MONTH: '100000',
}

beforeAll(buildExecutable, 60_000)
afterAll(() => origin.stop(true))

async function newKey(place: Workplace): Promise<string> {
  const { stdout } = await place.run(['key', 'create', '--email', 'you@example.com', '--json'], ENV)
  return JSON.parse(stdout).key
}

const ask = ({ url }: { url: string }, key: string, path: string) =>
  fetch(`${url}/v1/metadata?url=${encodeURIComponent(`http://127.0.0.1:${origin.port}${path}`)}`, {
    headers: { 'x-api-key': key },
  })

async function until(condition: () => boolean | Promise<boolean>) {
  while (!(await condition())) await Bun.sleep(20)
}

const usedIn = (path: string) => {
  using database = new Database(path, { readonly: true })
  return Number(database.query('SELECT coalesce(sum(used), 0) FROM monthly_usage').values()[0]![0])
}

/** The number of the first page of a table, all of whose changes are in the file by then. */
function pageOf(path: string, table: string): number {
  using database = new Database(path)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  return Number(database.query('SELECT rootpage FROM sqlite_schema WHERE name = ?').values(table)[0]![0])
}

describe('backup', () => {
  test('under load it has every count that was answered before it began, and the server goes on', async () => {
    await using place = openWorkplace()
    const key = await newKey(place)
    const service = await place.serve(ENV)
    let answered = 0
    let isLoaded = true
    const load = Array.from({ length: 4 }, async (_, i) => {
      for (let n = 0; ; n++) {
        if (!isLoaded) return
        expect((await ask(service, key, `/${(n + i) % 5}`)).status).toBe(200)
        answered++
      }
    })
    await until(() => answered >= 100)
    const before = answered
    const made = await place.run(['backup', 'copy.db', '--json'], ENV)
    const after = answered
    isLoaded = false
    await Promise.all(load)
    const file = join(place.dir, 'copy.db')
    expect(JSON.parse(made.stdout)).toEqual({
      file: 'copy.db',
      bytes: statSync(file).size,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      duration_ms: expect.any(Number),
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(after).toBeGreaterThan(before)
    expect(usedIn(file)).toBeGreaterThanOrEqual(before)

    // Restored elsewhere, a server goes on from there.
    await using other = openWorkplace()
    expect((await other.run(['restore', file])).code).toBe(0)
    const restored = await other.serve(ENV)
    const used = Number((await ask(restored, key, '/0')).headers.get('x-monthly-used')) - 1
    expect(used).toBeGreaterThanOrEqual(before)
    expect(used).toBeLessThanOrEqual(answered + 4)
  })

  test('an earlier backup is replaced, and nothing else is left', async () => {
    await using place = openWorkplace()
    await newKey(place)
    mkdirSync(join(place.dir, 'backups'))
    writeFileSync(join(place.dir, 'backups/copy.db'), 'an earlier one')
    const { code, stdout, stderr } = await place.run(['backup', 'backups/copy.db'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Wrote backups\/copy\.db: [\d.]+ KB, checked, in [\d.]+ s\.\n$/)
    expect(readdirSync(join(place.dir, 'backups'))).toEqual(['copy.db'])
    expect(usedIn(join(place.dir, 'backups/copy.db'))).toBe(0)
  })

  test.each([
    ['without a database', 'copy.db', false, 'there is no database in ./data'],
    ['over the database', 'data/urlmeta.db', true, 'that is the database itself'],
    ['over its log', './data/../data/urlmeta.db-wal', true, 'that is the database itself'],
    ['into a directory that is not there', 'nowhere/copy.db', true, 'the database cannot be opened'],
  ])('%s it fails in one line and leaves nothing behind', async (_, file, hasDatabase, why) => {
    await using place = openWorkplace()
    if (hasDatabase) await newKey(place)
    const { code, stdout, stderr } = await place.run(['backup', file])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toStartWith(`urlmeta: Cannot back up to ${file}: `)
    expect(stderr).toContain(why)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(readdirSync(place.dir).filter((name) => name !== 'data')).toEqual([])
  })

  test('a damaged database is told, and the earlier backup stays', async () => {
    await using place = openWorkplace()
    await newKey(place)
    await place.run(['backup', 'copy.db'])
    const earlier = await Bun.file(join(place.dir, 'copy.db')).bytes()
    const path = join(place.dir, 'data/urlmeta.db')
    const page = pageOf(path, 'users')
    const fd = openSync(path, 'r+')
    writeSync(fd, Buffer.alloc(4_096, 0xaa), 0, 4_096, (page - 1) * 4_096)
    closeSync(fd)
    const { code, stderr } = await place.run(['backup', 'copy.db'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('the database is damaged')])
    expect(await Bun.file(join(place.dir, 'copy.db')).bytes()).toEqual(earlier)
  })
})

describe('scheduled backups', () => {
  const names = (place: Workplace) =>
    existsSync(join(place.dir, 'backups')) ? readdirSync(join(place.dir, 'backups')).toSorted() : []

  test('are made by the server, told in the log, and only so many are kept', async () => {
    await using place = openWorkplace()
    mkdirSync(join(place.dir, 'backups'))
    // Two old ones, one that is left of a server that was killed, and something of somebody else.
    const old = ['urlmeta-20200101T000000Z.db', 'urlmeta-20200102T000000Z.db']
    for (const [i, name] of old.entries()) {
      writeFileSync(join(place.dir, 'backups', name), '')
      utimesSync(join(place.dir, 'backups', name), 1_577_836_800 + i, 1_577_836_800 + i)
    }
    writeFileSync(join(place.dir, 'backups/urlmeta-20200103T000000Z.db.4711.partial'), '')
    writeFileSync(join(place.dir, 'backups/notes.txt'), '')
    const env = { ...ENV, URLMETA_BACKUP_DIR: 'backups', URLMETA_BACKUP_KEEP: '2' }
    const service = await place.serve(env)
    await until(() => service.output().includes('backup written') && names(place).length === 3)
    const [notes, ...backups] = names(place)
    expect([notes, backups[0]]).toEqual(['notes.txt', old[1]!])
    expect(backups[1]).toMatch(/^urlmeta-\d{8}T\d{6}Z\.db$/)
    expect(statSync(join(place.dir, 'backups', backups[1]!)).mode & 0o777).toBe(0o600)
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
    // The next start finds it recent enough.
    const next = await place.serve(env)
    next.kill('SIGTERM')
    await next.exited
    expect(names(place)).toEqual([notes!, ...backups])
  })

  test('one that fails is in the log, and the server serves on', async () => {
    await using place = openWorkplace()
    writeFileSync(join(place.dir, 'backups'), 'a file in the place of the directory')
    const service = await place.serve({ ...ENV, URLMETA_BACKUP_DIR: 'backups' })
    await until(() => service.output().includes('backup failed; will retry'))
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  })
})

describe('restore', () => {
  test('puts the backup in place, keeps what was there, and says so', async () => {
    await using place = openWorkplace()
    await newKey(place)
    await place.run(['backup', 'copy.db'])
    await place.run(['key', 'create', '--email', 'later@example.com'])
    const { code, stdout } = await place.run(['restore', 'copy.db', '--json'])
    const { kept_as: keptAs, ...said } = JSON.parse(stdout)
    expect([code, said]).toEqual([0, { file: 'copy.db', users: 1, keys: 1 }])
    expect(keptAs).toMatch(/^data\/urlmeta\.db\.before-restore-\d{8}T\d{6}Z$/)
    const emails = async () =>
      JSON.parse((await place.run(['user', 'list', '--json'])).stdout).map(({ email }: { email: string }) => email)
    expect(await emails()).toEqual(['you@example.com'])
    expect(statSync(join(place.dir, 'data/urlmeta.db')).mode & 0o777).toBe(0o600)
    // And back again, with what the log beside it held.
    expect((await place.run(['restore', keptAs])).stdout).toContain('2 users, 2 keys')
    expect(await emails()).toEqual(['you@example.com', 'later@example.com'])
  })

  test('is refused while a server runs, which it names', async () => {
    await using place = openWorkplace()
    await newKey(place)
    await place.run(['backup', 'copy.db'])
    const service = await place.serve(ENV)
    const { code, stderr } = await place.run(['restore', 'copy.db'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`urlmeta: Process ${service.pid} already serves from `)])
  })

  const spoil = (place: Workplace, statement: string) => {
    using database = new Database(join(place.dir, 'copy.db'))
    database.run(statement)
  }
  test.each<[name: string, spoil: (place: Workplace) => void, why: string]>([
    ['that is not there', () => {}, 'there is no such file'],
    ['that is empty', (place) => writeFileSync(join(place.dir, 'copy.db'), ''), 'the database cannot be opened'],
    [
      'that is no database',
      (place) => writeFileSync(join(place.dir, 'copy.db'), 'text '.repeat(1_000)),
      'the file is not a database',
    ],
    [
      'of another program',
      (place) => spoil(place, 'CREATE TABLE songs (title text)'),
      'the database belongs to another program',
    ],
    [
      'of a newer version',
      (place) => {
        Bun.spawnSync(['cp', join(place.dir, 'data/urlmeta.db'), join(place.dir, 'copy.db')])
        spoil(place, 'INSERT INTO __drizzle_migrations (hash, created_at) VALUES (0, 99999999999999)')
      },
      'the database was written by a newer version of urlmeta',
    ],
  ])('of a file %s changes nothing', async (_, makeCopy, why) => {
    await using place = openWorkplace()
    await newKey(place)
    {
      using database = new Database(join(place.dir, 'data/urlmeta.db'))
      database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    }
    makeCopy(place)
    const before = readdirSync(join(place.dir, 'data'))
      .filter((name) => name.startsWith('urlmeta.db'))
      .toSorted()
    const { code, stdout, stderr } = await place.run(['restore', 'copy.db'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`urlmeta: Cannot restore copy.db: ${why}; nothing was changed\n`)
    const after = readdirSync(join(place.dir, 'data'))
      .filter((name) => name.startsWith('urlmeta.db'))
      .toSorted()
    expect(after).toEqual(before)
    expect((await place.run(['key', 'list'])).stdout).toContain('you@example.com')
  })
})
