import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

import { EXECUTABLE, openWorkspace, type Workspace } from './executable.ts'
import { createKey, createKeyOf } from './new-key.ts'
import { openSite, until } from './site.ts'
import { PATIENT_TEST_MS } from './patience.ts'
import { underLoad } from './under-load.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite()
const ENV = { ...site.env, URLMETA_PLAN_FREE_PER_MINUTE: '100000', URLMETA_PLAN_FREE_PER_MONTH: '100000' }

afterAll(() => site.close())

const usedIn = (path: string) => {
  using database = new Database(path, { readonly: true })
  return Number(database.query('SELECT coalesce(sum(used), 0) FROM monthly_usage').values()[0]![0])
}

/** Writes all changes to the file, and returns the number of the first page of a table. */
function pageOf(path: string, table: string): number {
  using database = new Database(path)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  return Number(database.query('SELECT rootpage FROM sqlite_schema WHERE name = ?').values(table)[0]![0])
}

describe('backup', () => {
  test('under load it includes every successful request before it started, and the server keeps running', async () => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    const service = await workspace.serve(ENV)
    const { result, before, after, total } = await underLoad(
      (path) => site.request(service, key, path),
      () => workspace.run(['backup', 'copy.db', '--json'], ENV),
    )
    const file = join(workspace.dir, 'copy.db')
    expect(JSON.parse(result.stdout)).toEqual({
      file: 'copy.db',
      bytes: statSync(file).size,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      duration_ms: expect.any(Number),
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(after).toBeGreaterThan(before)
    expect(usedIn(file)).toBeGreaterThanOrEqual(before)

    // A server on the restored copy continues from these counts.
    await using other = openWorkspace()
    expect((await other.run(['restore', file])).code).toBe(0)
    const restored = await other.serve(ENV)
    const used = Number((await site.request(restored, key, '/0')).headers.get('x-monthly-used')) - 1
    expect(used).toBeGreaterThanOrEqual(before)
    expect(used).toBeLessThanOrEqual(total + 4)
  })

  test('an existing backup is replaced, and no other file is left', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    mkdirSync(join(workspace.dir, 'backups'))
    await workspace.run(['backup', 'backups/copy.db'])
    await createKeyOf('later@example.com', workspace)
    const { code, stdout, stderr } = await workspace.run(['backup', 'backups/copy.db'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Wrote backups\/copy\.db: [\d.]+ KB, checked, in [\d.]+ s\.\n$/)
    expect(readdirSync(join(workspace.dir, 'backups'))).toEqual(['copy.db'])
    using database = new Database(join(workspace.dir, 'backups/copy.db'))
    expect(database.query('SELECT count(*) FROM users').values()).toEqual([[2]])
  })

  test.each([
    ['without a database', 'copy.db', false, 'there is no database in ./data'],
    ['over the database', 'data/urlmeta.db', true, 'that is the database itself'],
    ['over its write-ahead log', './data/../data/urlmeta.db-wal', true, 'that is the database itself'],
    ['over the cache', 'data/urlmeta-cache.db', true, 'that is the database itself'],
    ['into a missing directory', 'nowhere/copy.db', true, 'there is no directory nowhere'],
  ])('%s it fails in one line and leaves no file', async (_, file, hasDatabase, why) => {
    await using workspace = openWorkspace()
    if (hasDatabase) await createKey(workspace)
    const { code, stdout, stderr } = await workspace.run(['backup', file])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toStartWith(`urlmeta: Cannot back up to ${file}: `)
    expect(stderr).toContain(why)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(readdirSync(workspace.dir).filter((name) => name !== 'data')).toEqual([])
  })

  test('a copy of the files of a running server is not replaced: its log would be applied to the backup', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const [path, copy] = [join(workspace.dir, 'data/urlmeta.db'), join(workspace.dir, 'copy.db')]
    {
      using database = new Database(path)
      database.run("UPDATE users SET plan = 'growth'")
      for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix)
    }
    const { code, stderr } = await workspace.run(['backup', 'copy.db'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('copy.db-wal is the log of another database')])
    expect((await workspace.run(['restore', 'copy.db'])).code).toBe(0)
  })

  test('is written by a process whose executable was replaced, as by an upgrade', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const replaced = `cp ${EXECUTABLE} running && exec 3<running && rm running && /proc/$$/fd/3`
    const { code, stderr } = await workspace.shell(`${replaced} backup copy.db`)
    expect([code, stderr]).toEqual([0, ''])
  })

  test('a file whose name begins with a hyphen is written, and restored', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    expect((await workspace.run(['backup', '--', '-copy.db'])).code).toBe(0)
    expect((await workspace.run(['restore', '--', '-copy.db'])).code).toBe(0)
  })

  test('a file with a name that is too long fails in one line', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const { code, stderr } = await workspace.run(['backup', `${'n'.repeat(252)}.db`])
    expect([code, stderr.trimEnd().split('\n')]).toEqual([1, [expect.stringContaining('ENAMETOOLONG')]])
  })

  test('a damaged database is reported, and the existing backup is kept', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['backup', 'copy.db'])
    const earlier = await Bun.file(join(workspace.dir, 'copy.db')).bytes()
    const path = join(workspace.dir, 'data/urlmeta.db')
    const page = pageOf(path, 'users')
    const fd = openSync(path, 'r+')
    writeSync(fd, Buffer.alloc(4_096, 0xaa), 0, 4_096, (page - 1) * 4_096)
    closeSync(fd)
    const { code, stderr } = await workspace.run(['backup', 'copy.db'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('the database is damaged')])
    expect(await Bun.file(join(workspace.dir, 'copy.db')).bytes()).toEqual(earlier)
  })
})

describe('scheduled backups', () => {
  const names = (workspace: Workspace) =>
    existsSync(join(workspace.dir, 'backups')) ? readdirSync(join(workspace.dir, 'backups')).toSorted() : []

  test('are created by the server and logged, and old ones are deleted', async () => {
    await using workspace = openWorkspace()
    mkdirSync(join(workspace.dir, 'backups'))
    // Two old backups, a partial one of a server that was killed, a truncated one, and an unrelated file.
    const old = ['urlmeta-20200101T000000Z.db', 'urlmeta-20200102T000000Z.db']
    for (const [i, name] of old.entries()) {
      {
        using database = new Database(join(workspace.dir, 'backups', name))
        database.run('CREATE TABLE a (b)')
      }
      utimesSync(join(workspace.dir, 'backups', name), 1_577_836_800 + i, 1_577_836_800 + i)
    }
    writeFileSync(join(workspace.dir, 'backups/urlmeta-20200103T000000Z.db.4711.partial'), '')
    writeFileSync(join(workspace.dir, 'backups/notes.txt'), '')
    const cutOff = 'urlmeta-20200104T000000Z.db'
    writeFileSync(join(workspace.dir, 'backups', cutOff), 'S')
    // Cannot be read, like a backup of another user.
    const loop = 'urlmeta-20200105T000000Z.db'
    symlinkSync(loop, join(workspace.dir, 'backups', loop))
    const env = { ...ENV, URLMETA_BACKUP_DIR: 'backups', URLMETA_BACKUP_KEEP: '2' }
    const service = await workspace.serve(env)
    await until(() => service.output().includes('backup written') && names(workspace).length === 5)
    const [notes, ...backups] = names(workspace).filter((name) => name !== cutOff && name !== loop)
    expect([notes, backups[0]]).toEqual(['notes.txt', old[1]!])
    expect(backups[1]).toMatch(/^urlmeta-\d{8}T\d{6}Z\.db$/)
    expect(statSync(join(workspace.dir, 'backups', backups[1]!)).mode & 0o777).toBe(0o600)
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
    // The next start does not create another one.
    const next = await workspace.serve(env)
    const metrics = async () => (await fetch(`${next.url}/metrics`)).text()
    await until(async () => /urlmeta_backup_last_timestamp_seconds [1-9]/.test(await metrics()))
    next.kill('SIGTERM')
    await next.exited
    expect(next.output()).not.toContain('backup written')
    expect(names(workspace)).toEqual([notes!, ...backups, cutOff, loop].toSorted())
  })

  test('a failure is logged, and the server keeps running', async () => {
    await using workspace = openWorkspace()
    writeFileSync(join(workspace.dir, 'backups'), 'a file, not a directory')
    const service = await workspace.serve({ ...ENV, URLMETA_BACKUP_DIR: 'backups' })
    await until(() => service.output().includes('backup failed; will retry'))
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  })
})

describe('restore', () => {
  test('replaces the database, keeps the previous one, and reports both', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['backup', 'copy.db'])
    await createKeyOf('later@example.com', workspace)
    const { code, stdout } = await workspace.run(['restore', 'copy.db', '--json'])
    const { kept_as: keptAs, ...reported } = JSON.parse(stdout)
    expect([code, reported]).toEqual([0, { file: 'copy.db', users: 1, keys: 1 }])
    expect(keptAs).toMatch(/^data\/urlmeta\.db\.before-restore-\d{8}T\d{6}Z$/)
    const emails = async () =>
      JSON.parse((await workspace.run(['user', 'list', '--json'])).stdout).map(({ email }: { email: string }) => email)
    expect(await emails()).toEqual(['you@example.com'])
    expect(statSync(join(workspace.dir, 'data/urlmeta.db')).mode & 0o777).toBe(0o600)
    // The previous database can be restored, including its write-ahead log.
    expect((await workspace.run(['restore', keptAs])).stdout).toContain('2 users, 2 keys')
    expect(await emails()).toEqual(['you@example.com', 'later@example.com'])
  })

  test('by another user gives the database to the owner of the directory, and says where it is', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['backup', 'copy.db'])
    const data = join(workspace.dir, 'data')
    const owner = process.getuid!() === 0 ? 65_533 : process.getuid!()
    for (const path of [data, ...readdirSync(data).map((name) => join(data, name))]) chownSync(path, owner, owner)
    const { stdout } = await workspace.run(['restore', 'copy.db'])
    expect(stdout).toStartWith(`Restored copy.db to ${data}: 1 users, 1 keys.\n`)
    expect(statSync(join(data, 'urlmeta.db'))).toMatchObject({ uid: owner, gid: owner })
    // Also the lock, without which that user could not start the server.
    rmSync(join(data, 'serve.lock'))
    await workspace.run(['restore', 'copy.db'])
    expect(statSync(join(data, 'serve.lock'))).toMatchObject({ uid: owner, gid: owner })
  })

  test('ends invitations, sign-in links and shared results of the backup, and says what is active again', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const path = join(workspace.dir, 'data/urlmeta.db')
    const run = (...statements: string[]) => {
      using database = new Database(path)
      for (const statement of statements) database.run(statement)
    }
    const [expires, counts] = [Date.now() + 600_000, ['tickets', 'shared_results', 'api_keys']]
    const sharedColumns = 'id, token_hash, user_id, url, json, created_at, expires_at'
    run(
      `INSERT INTO tickets (hash, payload, expires_at, invited_by) VALUES ('a', 'jo@example.com', ${expires}, 'op@example.com')`,
      `INSERT INTO tickets (hash, payload, expires_at) VALUES ('b', 'you@example.com', ${expires})`,
      `INSERT INTO shared_results (${sharedColumns}) SELECT 's', 'h', id, 'u', '{}', 1, ${expires} FROM users`,
    )
    await workspace.run(['backup', 'copy.db'])
    run('DELETE FROM tickets', 'DELETE FROM shared_results', 'DELETE FROM users')
    const { stdout } = await workspace.run(['restore', 'copy.db'])
    using database = new Database(path)
    expect(counts.map((table) => database.query(`SELECT count(*) FROM ${table}`).values()[0]![0])).toEqual([0, 0, 1])
    expect(stdout).toMatch(
      /keys .* sessions .* users [^]*identities .* accounts that were deleted since then are active again/,
    )
    expect(stdout).toContain('Sign-in links, invitations and links of shared results in the backup no longer work.')
  })

  test('of a database that was deleted does not apply its write-ahead log', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['backup', 'copy.db'])
    const path = join(workspace.dir, 'data/urlmeta.db')
    const log = `${path}-wal`
    {
      using database = new Database(path)
      database.run("UPDATE users SET plan = 'growth'")
      copyFileSync(log, join(workspace.dir, 'log'))
    }
    copyFileSync(join(workspace.dir, 'log'), log)
    rmSync(path)
    const { code, stdout } = await workspace.run(['restore', 'copy.db', '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([0, { file: 'copy.db', users: 1, keys: 1, kept_as: null }])
    using database = new Database(path)
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    expect(database.query('SELECT plan FROM users').values()).toEqual([['free']])
  })

  test('fails while a server runs, and names its process', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['backup', 'copy.db'])
    const service = await workspace.serve(ENV)
    const { code, stderr } = await workspace.run(['restore', 'copy.db'])
    expect([code, stderr]).toEqual([
      1,
      `urlmeta: Process ${service.pid} serves from ./data (URLMETA_DATA_DIR): stop it first\n`,
    ])
  })

  const damage = (workspace: Workspace, statement: string) => {
    using database = new Database(join(workspace.dir, 'copy.db'))
    database.run(statement)
  }
  /** A copy of the database, changed by a statement. */
  const changed = (statement: string) => (workspace: Workspace) => {
    Bun.spawnSync(['cp', join(workspace.dir, 'data/urlmeta.db'), join(workspace.dir, 'copy.db')])
    damage(workspace, statement)
  }
  const ENDLESS = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT'
  const unknown = (object: string) => `the database has an unknown schema (${object})`
  test.each<[name: string, damage: (workspace: Workspace) => void, why: string]>([
    ['that is missing', () => {}, 'there is no such file'],
    [
      'that is empty',
      (workspace) => writeFileSync(join(workspace.dir, 'copy.db'), ''),
      'the database cannot be opened',
    ],
    [
      'that is not a database',
      (workspace) => writeFileSync(join(workspace.dir, 'copy.db'), 'text '.repeat(1_000)),
      'the file is not a database',
    ],
    [
      'of another program',
      (workspace) => damage(workspace, 'CREATE TABLE songs (title text)'),
      'the database belongs to another program',
    ],
    [
      'of a newer version',
      changed('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (0, 99999999999999)'),
      'the database was written by a newer version of urlmeta',
    ],
    [
      'with other migrations',
      changed("UPDATE __drizzle_migrations SET hash = 'other'"),
      'the database has an unknown schema',
    ],
    [
      'with a trigger',
      changed("CREATE TRIGGER t AFTER INSERT ON sessions BEGIN UPDATE users SET plan = 'business'; END"),
      unknown('trigger "t" is not part of it'),
    ],
    [
      'with a view in place of a table',
      changed(`DROP TABLE users; CREATE VIEW users AS ${ENDLESS} i FROM n`),
      unknown('view "users" is not part of it'),
    ],
    [
      'with a view in place of the migrations',
      changed(
        `DROP TABLE __drizzle_migrations; CREATE VIEW __drizzle_migrations AS ${ENDLESS} 0 AS hash, i AS created_at FROM n`,
      ),
      'the database belongs to another program',
    ],
    ['without a table', changed('DROP TABLE tickets'), unknown('table "tickets" is missing')],
    [
      'with a column that is computed',
      changed('ALTER TABLE tickets ADD COLUMN n AS (length(payload))'),
      unknown('table "tickets" is changed'),
    ],
  ])('of a file %s changes nothing', async (_, makeCopy, why) => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    {
      using database = new Database(join(workspace.dir, 'data/urlmeta.db'))
      database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    }
    makeCopy(workspace)
    const before = readdirSync(join(workspace.dir, 'data'))
      .filter((name) => name.startsWith('urlmeta.db'))
      .toSorted()
    const { code, stdout, stderr } = await workspace.run(['restore', 'copy.db'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`urlmeta: Cannot restore copy.db: ${why}; nothing was changed\n`)
    const after = readdirSync(join(workspace.dir, 'data'))
      .filter((name) => name.startsWith('urlmeta.db'))
      .toSorted()
    expect(after).toEqual(before)
    using database = new Database(join(workspace.dir, 'data/urlmeta.db'), { readonly: true })
    expect(database.query('SELECT email FROM users').values()).toEqual([['you@example.com']])
  })
})
