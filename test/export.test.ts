import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'

import { BATCH_ROWS, EXPORTED_TABLES } from '../src/store/transfer/tables.ts'
import { EXECUTABLE, openWorkspace, type Workspace } from './executable.ts'
import { createKey, createKeyOf } from './new-key.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { describePostgres } from './requirements.ts'
import { openSite, until } from './site.ts'
import { describeRoot, smallDisk } from './small-disk.ts'
import { fixtureOf } from './store/database-fixtures.ts'
import { SCHEMA } from '../src/store/transfer/export.ts'
import { exportedLines, manyDays } from './store/transfer/sample-export.ts'
import { PATIENT_TEST_MS } from './patience.ts'
import { underLoad } from './under-load.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite()
afterAll(() => site.close())

const databaseOf = ({ dir }: Workspace) => join(dir, 'data/urlmeta.db')
const inside = ({ dir }: Workspace, name: string) => join(dir, name)

/** Runs statements on the database of an installation. */
function change(workspace: Workspace, ...statements: string[]) {
  using database = new Database(databaseOf(workspace))
  for (const statement of statements) database.run(statement)
}

/** Adds the sample rows of every table to an installation. */
function addSampleRows(workspace: Workspace) {
  const fixture = readFileSync(fixtureOf('sqlite', SCHEMA), 'utf8')
  const rows = fixture.match(/^INSERT INTO "(?!__drizzle)[^]*?\);$/gm)!
  expect(rows.length).toBeGreaterThan(EXPORTED_TABLES.length)
  change(workspace, ...rows.map((row) => row.replace(/^INSERT/, 'INSERT OR REPLACE')))
}

/** The rows of every exported table. */
function rowsOf(workspace: Workspace): Record<string, unknown[]> {
  using database = new Database(databaseOf(workspace), { readonly: true })
  const rows = EXPORTED_TABLES.map(({ name, key }) => {
    return [name, database.query(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all()]
  })
  return Object.fromEntries(rows)
}

/** The number of rows in all tables, except those of the migrations and of `/readyz`; 0 without a database. */
function countRows(workspace: Workspace): number {
  if (!existsSync(databaseOf(workspace))) return 0
  using database = new Database(databaseOf(workspace), { readonly: true })
  const names = database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('probe', '__drizzle_migrations')",
    )
    .all()
  const count = (name: string) => Number(database.query(`SELECT count(*) FROM "${name}"`).values()[0]![0])
  return names.reduce((sum, { name }) => sum + count(name), 0)
}

/** The files of a directory that a command was to write there, except the data. */
const filesIn = ({ dir }: Workspace) => readdirSync(dir).filter((name) => name !== 'data')

describePostgres('the same installation', (binDir) => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(binDir)
  }, 180_000)
  afterAll(() => server?.[Symbol.asyncDispose](), PATIENT_TEST_MS)

  test('goes from SQLite to PostgreSQL and back: every row is the same, and an old key works everywhere', async () => {
    await using first = openWorkspace()
    const key = await createKey(first)
    const before = await first.serve(site.env)
    expect((await site.request(before, key, '/1')).headers.get('x-monthly-used')).toBe('1')
    before.kill('SIGTERM')
    await before.exited
    addSampleRows(first)
    change(first, manyDays(BATCH_ROWS + 1))
    const secret = readFileSync(inside(first, 'data/secret'), 'utf8')
    expect(await first.run(['export', 'sqlite.jsonl'])).toMatchObject({ code: 0, stderr: '' })

    await using second = openWorkspace()
    const env = { ...site.env, URLMETA_DATABASE_URL: await server.createDatabase(), URLMETA_SECRET: secret }
    const { stdout } = await second.run(['import', inside(first, 'sqlite.jsonl'), '--json'], env)
    const { tables } = JSON.parse(stdout) as { tables: { name: string; rows: number }[] }
    expect(tables).toEqual(Object.entries(rowsOf(first)).map(([name, rows]) => ({ name, rows: rows.length })))
    {
      await using sql = new SQL({ url: env.URLMETA_DATABASE_URL, max: 1 })
      for (const name of ['request_log', 'probe', 'results', 'rendered_hosts', 'usage_reservations'])
        expect(await sql.unsafe(`SELECT 1 FROM ${name}`)).toHaveLength(0)
    }
    expect(await second.run(['export', 'postgres.jsonl'], env)).toMatchObject({ code: 0, stderr: '' })

    await using third = openWorkspace()
    mkdirSync(inside(third, 'data'), { mode: 0o700 })
    writeFileSync(inside(third, 'data/secret'), secret, { mode: 0o600 })
    const imported = await third.run(['import', inside(second, 'postgres.jsonl')])
    expect(imported.stdout).toMatch(/^Imported .*: \d+ rows in 14 tables, verified, in /)
    expect(rowsOf(third)).toEqual(rowsOf(first))
    expect(countRows(third)).toBe(tables.reduce((sum, { rows }) => sum + rows, 0))

    for (const [workspace, settings] of [
      [second, env],
      [third, site.env],
    ] as const) {
      const service = await workspace.serve(settings)
      expect((await site.request(service, key, '/1')).headers.get('x-monthly-used')).toBe('2')
      // While the server runs, and with the units that it has counted.
      const running = await workspace.shell('urlmeta export - | grep \'"monthly_usage"\'', settings)
      expect([running.code, running.stderr, running.stdout]).toEqual([0, '', expect.stringContaining('"used":2}')])
    }
  })

  test('an import into PostgreSQL that is killed leaves an empty database', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    change(workspace, manyDays(2 * BATCH_ROWS))
    const env = { URLMETA_DATABASE_URL: await server.createDatabase() }
    await using sql = new SQL({ url: env.URLMETA_DATABASE_URL, max: 1 })
    const lines = await exportedLines(databaseOf(workspace))
    const child = Bun.spawn([EXECUTABLE, 'import', '-'], { cwd: workspace.dir, env, stdin: 'pipe', stderr: 'ignore' })
    child.stdin.write(lines.slice(0, -2).join('\n'))
    await child.stdin.flush()
    const locks = () =>
      sql`SELECT 1 FROM pg_locks JOIN pg_class ON relation = pg_class.oid WHERE relname = 'daily_usage'`
    await until(async () => (await locks()).length > 0)
    child.kill('SIGKILL')
    await child.exited
    await until(async () => (await locks()).length === 0)
    expect(await sql`SELECT 1 FROM users`).toHaveLength(0)
    await workspace.run(['export', 'all.jsonl'])
    expect((await workspace.run(['import', 'all.jsonl'], env)).code).toBe(0)
    expect(await sql`SELECT 1 FROM daily_usage`).toHaveLength(2 * BATCH_ROWS)
  })

  test.each<[string, statement: string | null, why: string]>([
    [
      'with data',
      `INSERT INTO users VALUES ('u', 'a@b.example', 'free', 1, NULL, '', NULL)`,
      'it has data (users); use an empty database',
    ],
    [
      'of an older version',
      `UPDATE urlmeta_migrations SET created_at = 1`,
      'the database was written by an older version of urlmeta; use an empty database',
    ],
    ['that is not there', null, 'there is no such database on the server. Create the database'],
  ])('an import into a PostgreSQL database %s fails', async (_, statement, why) => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['export', 'all.jsonl'])
    const url = await server.createDatabase()
    const env = { URLMETA_DATABASE_URL: statement === null ? url.replace(/[^/]*$/, 'absent') : url }
    if (statement !== null) {
      await workspace.run(['user', 'list'], env)
      await using sql = new SQL({ url, max: 1 })
      await sql.unsafe(statement)
    }
    const { code, stderr } = await workspace.run(['import', 'all.jsonl'], env)
    const masked = env.URLMETA_DATABASE_URL.replace('secret', '••••')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`urlmeta: Cannot import all.jsonl into ${masked}: ${why}`),
    ])
  })
})

describe('export', () => {
  test('under load it includes every successful request before it started, and the server keeps running', async () => {
    await using workspace = openWorkspace()
    const env = { ...site.env, URLMETA_PLAN_FREE_PER_MINUTE: '100000', URLMETA_PLAN_FREE_PER_MONTH: '100000' }
    const key = await createKey(workspace)
    const service = await workspace.serve(env)
    const { result, before, after } = await underLoad(
      (path) => site.request(service, key, path),
      () => workspace.run(['export', 'all.jsonl', '--json'], env),
    )
    const file = inside(workspace, 'all.jsonl')
    expect(JSON.parse(result.stdout)).toEqual({
      file: 'all.jsonl',
      bytes: statSync(file).size,
      duration_ms: expect.any(Number),
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(after).toBeGreaterThan(before)
    await using other = openWorkspace()
    expect((await other.run(['import', file])).code).toBe(0)
    const [used] = rowsOf(other)['monthly_usage'] as { used: number }[]
    expect(used!.used).toBeGreaterThanOrEqual(before)
    expect(used!.used).toBeLessThanOrEqual(after + 4)
  })

  test('an existing export is replaced, and no other file is left', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['export', 'all.jsonl'])
    await createKeyOf('later@example.com', workspace)
    const { code, stdout, stderr } = await workspace.run(['export', 'all.jsonl'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Wrote all\.jsonl: [\d.]+ KB, in [\d.]+ s\.\n$/)
    expect(filesIn(workspace)).toEqual(['all.jsonl'])
    expect(readFileSync(inside(workspace, 'all.jsonl'), 'utf8')).toContain('later@example.com')
  })

  test.each<[string, file: string, why: string]>([
    ['over another file', 'notes.txt', 'that file is not an export, so it is not replaced'],
    ['over the secret', 'data/secret', 'that file is not an export, so it is not replaced'],
    ['over the database', 'data/urlmeta.db', 'that is the database itself'],
    ['into a missing directory', 'nowhere/all.jsonl', 'there is no directory nowhere'],
  ])('%s it fails in one line and writes nothing', async (_, file, why) => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    writeFileSync(inside(workspace, 'notes.txt'), 'notes')
    expect(await workspace.run(['export', file])).toEqual({
      code: 1,
      stdout: '',
      stderr: `urlmeta: Cannot export to ${file}: ${why}\n`,
    })
    expect(filesIn(workspace)).toEqual(['notes.txt'])
    expect(readFileSync(inside(workspace, 'notes.txt'), 'utf8')).toBe('notes')
  })

  test.each<[string, prepare: (workspace: Workspace) => unknown, why: string]>([
    ['without a database', () => {}, 'there is no database in ./data (URLMETA_DATA_DIR)'],
    [
      'from a directory that was moved',
      async (workspace) => {
        await createKey(workspace)
        writeFileSync(
          inside(workspace, 'data/moved.json'),
          '{"to":"postgres://host/db","started_at":"x","finished_at":"y"}',
        )
      },
      'the database was moved to postgres://host/db at y. Set URLMETA_DATABASE_URL to that database.',
    ],
    [
      'from a database with a trigger',
      async (workspace) => {
        await createKey(workspace)
        change(workspace, `CREATE TRIGGER t AFTER INSERT ON sessions BEGIN UPDATE users SET plan = 'business'; END`)
      },
      'the database has an unknown schema (trigger "t" is not part of it).',
    ],
  ])('%s it fails in one line', async (_, prepare, why) => {
    await using workspace = openWorkspace()
    await prepare(workspace)
    const { code, stdout, stderr } = await workspace.run(['export', 'all.jsonl'])
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringContaining(`urlmeta: Cannot export to all.jsonl: ${why}`),
    ])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(filesIn(workspace)).toEqual([])
  })

  test('kill -9 in the middle leaves the earlier export', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['export', 'all.jsonl'])
    const earlier = readFileSync(inside(workspace, 'all.jsonl'), 'utf8')
    change(workspace, manyDays(50_000))
    const child = Bun.spawn([EXECUTABLE, 'export', 'all.jsonl'], { cwd: workspace.dir, env: {}, stdout: 'ignore' })
    await until(() => filesIn(workspace).length === 2)
    child.kill('SIGKILL')
    await child.exited
    const [partial] = filesIn(workspace).filter((name) => name.endsWith('.partial'))
    expect(statSync(inside(workspace, partial!)).mode & 0o777).toBe(0o600)
    expect(readFileSync(inside(workspace, 'all.jsonl'), 'utf8')).toBe(earlier)
  })

  test('Ctrl-C ends it with one line and leaves the earlier export', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['export', 'all.jsonl'])
    const earlier = readFileSync(inside(workspace, 'all.jsonl'), 'utf8')
    change(workspace, manyDays(50_000))
    const terminal = workspace.terminal('urlmeta export all.jsonl')
    await until(() => /[█░▓▒]/.test(terminal.output()))
    terminal.type('\u0003')
    expect(await terminal.exited).not.toBe(0)
    expect(terminal.output()).toContain('Cannot export to all.jsonl: it was interrupted')
    expect(filesIn(workspace)).toEqual(['all.jsonl'])
    expect(readFileSync(inside(workspace, 'all.jsonl'), 'utf8')).toBe(earlier)
  })

  test('to standard output it is piped into an import', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    change(workspace, manyDays(3 * BATCH_ROWS))
    const piped = await workspace.shell('urlmeta export - | URLMETA_DATA_DIR=other urlmeta import -')
    expect([piped.code, piped.stderr, piped.stdout]).toEqual([
      0,
      '',
      expect.stringMatching(/^Imported -: 1503 rows in 14 tables, verified, in /),
    ])
  })

  test('whose reader closes standard output exits with 0', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    change(workspace, manyDays(50_000))
    const line = '(urlmeta export - --json; echo "exit code $?" >&2) | head -c 17'
    expect(await workspace.shell(line)).toEqual({ code: 0, stdout: '{"urlmeta_export"', stderr: 'exit code 0\n' })
  })
})

describe('import', () => {
  let lines: string[]
  let all: Workspace
  beforeAll(async () => {
    all = openWorkspace()
    await createKey(all)
    change(all, manyDays(2 * BATCH_ROWS))
    lines = await exportedLines(databaseOf(all))
  })
  afterAll(() => all[Symbol.asyncDispose]())

  const textOf = (changed: readonly string[]) => changed.map((line) => `${line}\n`).join('')

  test.each<[string, text: () => string, why: string]>([
    [
      'a file that was truncated',
      () => textOf(lines.slice(0, -1)),
      'the export is incomplete: it ends after line 1004',
    ],
    ['a file that ends in a line', () => textOf(lines).slice(0, -9), 'the export is incomplete: it ends in line 1005'],
    [
      'an edited line',
      () => textOf(lines.map((line) => line.replace('you@example.com', 'me@example.com'))),
      'line 1005 has another checksum than the lines before it',
    ],
    [
      'a wrong column in the second batch',
      () => textOf(lines.map((line, i) => (i === 900 ? line.replace('"day"', '"week"') : line))),
      'line 901 is no row of daily_usage: there is no column "week"',
    ],
    ['a huge line', () => `${lines[0]}\n"${'x'.repeat(10_000_000)}`, 'line 2 is longer than 1000000 characters'],
    [
      'two users with one address',
      () => textOf(lines.toSpliced(2, 0, lines[1]!.replace(/"id":"[^"]*"/, '"id":"other"'))),
      'UNIQUE constraint failed: users.email',
    ],
  ])('of %s fails in one line and changes nothing', async (_, text, why) => {
    await using workspace = openWorkspace()
    writeFileSync(inside(workspace, 'all.jsonl'), text())
    expect(await workspace.run(['import', 'all.jsonl'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `urlmeta: Cannot import all.jsonl into data/urlmeta.db: ${why}\n`,
    })
    expect(countRows(workspace)).toBe(0)
    writeFileSync(inside(workspace, 'all.jsonl'), textOf(lines))
    expect((await workspace.run(['import', 'all.jsonl'])).code).toBe(0)
    expect(rowsOf(workspace)).toEqual(rowsOf(all))
  })

  test.each<[string, file: string, why: string]>([
    ['a missing file', 'nothing', 'there is no such file'],
    ['a directory', 'data', 'that is a directory'],
    ['the database itself', 'data/urlmeta.db', 'that is the database itself'],
  ])('of %s fails in one line', async (_, file, why) => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const { code, stderr } = await workspace.run(['import', file])
    expect([code, stderr]).toEqual([1, `urlmeta: Cannot import ${file} into data/urlmeta.db: ${why}\n`])
  })

  test('into a database with data fails and changes nothing', async () => {
    await using workspace = openWorkspace()
    await createKeyOf('other@example.com', workspace)
    const before = rowsOf(workspace)
    const { code, stderr } = await workspace.run(['import', '-'], {}, textOf(lines))
    const why = 'it has data (api_keys, audit_log, users); use an empty database'
    expect([code, stderr]).toEqual([1, `urlmeta: Cannot import - into data/urlmeta.db: ${why}\n`])
    expect(rowsOf(workspace)).toEqual(before)
  })

  test('while a server runs fails and changes nothing', async () => {
    await using workspace = openWorkspace()
    const service = await workspace.serve()
    const { code, stderr } = await workspace.run(['import', '-'], {}, textOf(lines))
    const line = `urlmeta: Process ${service.pid} serves from ./data (URLMETA_DATA_DIR): stop it first\n`
    expect([code, stderr]).toEqual([1, line])
    expect(rowsOf(workspace)['users']).toEqual([])
  })

  test('into a directory whose database was moved fails', async () => {
    await using workspace = openWorkspace()
    mkdirSync(inside(workspace, 'data'))
    const record = '{"to":"postgres://host/db","started_at":"x","finished_at":"y"}'
    writeFileSync(inside(workspace, 'data/moved.json'), record)
    const { code, stderr } = await workspace.run(['import', '-'], {}, textOf(lines))
    expect([code, stderr]).toEqual([1, expect.stringContaining('the database was moved to postgres://host/db at y')])
    expect(existsSync(databaseOf(workspace))).toBe(false)
  })

  /** Starts an import of all but the last row, and waits until it has written some of them. */
  async function startImport(workspace: Workspace) {
    const env = { URLMETA_DATA_DIR: 'data' }
    const many = inside(workspace, 'many.jsonl')
    await using source = openWorkspace()
    await createKey(source)
    // More than the 2 MB of changed pages that SQLite keeps in memory before it writes them to the log.
    change(source, manyDays(30_000))
    writeFileSync(many, textOf(await exportedLines(databaseOf(source))))
    const child = Bun.spawn([EXECUTABLE, 'import', '-'], {
      cwd: workspace.dir,
      env,
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    child.stdin.write(readFileSync(many, 'utf8').split('\n').slice(0, -3).join('\n'))
    await child.stdin.flush()
    const log = `${databaseOf(workspace)}-wal`
    await until(() => existsSync(log) && statSync(log).size > 500_000)
    return { child, many }
  }

  test('kill -9 in the middle leaves an empty database, into which it can be repeated', async () => {
    await using workspace = openWorkspace()
    const { child, many } = await startImport(workspace)
    child.kill('SIGKILL')
    await child.exited
    expect(countRows(workspace)).toBe(0)
    expect((await workspace.run(['import', many])).code).toBe(0)
    expect(rowsOf(workspace)['daily_usage']).toHaveLength(30_000)
  })

  test('Ctrl-C ends it with one line while it waits for standard input', async () => {
    await using workspace = openWorkspace()
    const { child } = await startImport(workspace)
    child.kill('SIGINT')
    expect([await child.exited, await child.stderr.text()]).toEqual([
      1,
      'urlmeta: Cannot import - into data/urlmeta.db: it was interrupted\n',
    ])
    expect(countRows(workspace)).toBe(0)
  })

  test('on a terminal, it shows a bar', async () => {
    await using workspace = openWorkspace()
    writeFileSync(inside(workspace, 'all.jsonl'), textOf(lines))
    const terminal = workspace.terminal('urlmeta import all.jsonl')
    expect(await terminal.exited).toBe(0)
    expect(terminal.output()).toMatch(/[█░▓▒]/)
    expect(terminal.output()).toContain('copy the file `secret`')
  })
})

describeRoot('a full disk', () => {
  test('ends an export, which leaves the earlier one', async () => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, 512)
    await createKey(workspace)
    const file = join(disk.path, 'all.jsonl')
    expect((await workspace.run(['export', file])).code).toBe(0)
    const earlier = readFileSync(file, 'utf8')
    change(workspace, manyDays(10_000))
    const { code, stderr } = await workspace.run(['export', file])
    expect([code, stderr]).toEqual([1, `urlmeta: Cannot export to ${file}: ENOSPC: no space left on device, write\n`])
    expect(readdirSync(disk.path)).toEqual(['all.jsonl'])
    expect(readFileSync(file, 'utf8')).toBe(earlier)
  })

  test('ends an import, which leaves an empty database', async () => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, 2_048)
    await createKey(workspace)
    change(workspace, manyDays(30_000))
    await workspace.run(['export', 'all.jsonl'])
    const env = { URLMETA_DATA_DIR: disk.path }
    const { code, stderr } = await workspace.run(['import', 'all.jsonl'], env)
    expect([code, stderr.trimEnd().split('\n')]).toEqual([1, [expect.stringContaining('the disk is full. Free space')]])
    using database = new Database(join(disk.path, 'urlmeta.db'))
    expect(database.query('SELECT * FROM users').all()).toEqual([])
  })
})
