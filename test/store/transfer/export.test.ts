import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'

import { openSqliteTransaction } from '../../../src/store/transfer/sqlite.ts'
import { BATCH_ROWS, EXPORTED_TABLES, NOT_EXPORTED } from '../../../src/store/transfer/tables.ts'
import { exportedLines, exportOf, manyDays, sampleDatabase } from './sample-export.ts'

describe('an export', () => {
  test('has a header, the rows of every table but the listed ones, and an end', async () => {
    const [header, ...lines] = (await exportedLines(sampleDatabase())).map((line) => JSON.parse(line) as object)
    expect(header).toEqual({
      urlmeta_export: 1,
      version: '1.2.3',
      schema: '0008_request_ids',
      database: 'SQLite',
      exported_at: '2026-11-20T00:00:00.000Z',
    })
    const tables = lines.slice(0, -1).map((line) => (line as { table: string }).table)
    expect([...new Set(tables)]).toEqual(EXPORTED_TABLES.map(({ name }) => name))
    expect(tables.filter((name) => NOT_EXPORTED.includes(name))).toEqual([])
    const { rows, sha256 } = lines.at(-1) as { rows: Record<string, number>; sha256: string }
    expect(Object.keys(rows)).toEqual(EXPORTED_TABLES.map(({ name }) => name))
    expect(rows).toMatchObject({ users: 2, api_keys: 2, identities: 1 })
    expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  test('has the columns of the database, with the types of JSON', async () => {
    const lines = await exportedLines(sampleDatabase())
    expect(lines[1]).toBe(
      '{"table":"users","row":{"id":"user-1","email":"jo@example.com","plan":"starter","per_minute":5000,"per_month":null,"max_keys":0,"created_at":1795176000000,' +
        `"name":"Jo O'Neil, ключ","search_text":"jo@example.com\\njo o'neil, ключ","suspended_at":null,"logs_urls":true}}`,
    )
    expect(lines.find((line) => line.includes('"api_keys"'))).toContain(
      '"allowed_hosts":["example.com","*.example.org"]',
    )
  })

  test.each([0, 1, BATCH_ROWS, BATCH_ROWS + 1, 2 * BATCH_ROWS])(
    'has each of %d rows once, in batches that are reported',
    async (rows) => {
      const path = sampleDatabase('DELETE FROM daily_usage', manyDays(rows))
      using source = openSqliteTransaction(path, 'export')
      const progress: [number, number][] = []
      const parts = await Array.fromAsync(exportOf(source, (...done) => void progress.push(done)))
      const days = parts
        .filter((part) => part.startsWith('{"table":"daily_usage"'))
        .map((part) => part.trimEnd().split('\n'))
      expect(days.map(({ length }) => length)).toEqual(
        [BATCH_ROWS, BATCH_ROWS, BATCH_ROWS]
          .map((size, i) => Math.min(size, rows - i * size))
          .filter((size) => size > 0),
      )
      expect(new Set(days.flat()).size).toBe(rows)
      const total = progress.at(-1)![1]
      expect(progress.map(([, all]) => all)).toEqual(progress.map(() => total))
      expect(progress.at(-1)).toEqual([total, total])
      expect(parts.at(-1)).toContain(`"daily_usage":${rows},`)
    },
  )

  test('is a snapshot: changes made after it has begun are not in it', async () => {
    const path = sampleDatabase(manyDays(BATCH_ROWS + 1))
    using other = new Database(path)
    using source = openSqliteTransaction(path, 'export')
    let isChanged = false
    const parts = await Array.fromAsync(
      exportOf(source, () => {
        if (!isChanged) other.run("INSERT INTO monthly_usage VALUES ('later', '2026-11', 1)")
        isChanged = true
      }),
    )
    expect(parts.join('')).not.toContain('later')
    expect(other.query("SELECT used FROM monthly_usage WHERE user_id = 'later'").values()).toEqual([[1]])
  })

  test('ends when the report of a batch throws', () => {
    using source = openSqliteTransaction(sampleDatabase(), 'export')
    const stop = () => {
      throw new Error('stopped')
    }
    return expect(Array.fromAsync(exportOf(source, stop))).rejects.toThrow('stopped')
  })
})

describe('a database that is moved', () => {
  test('is opened when another process, which is closing the database, releases its lock', async () => {
    const path = sampleDatabase()
    // Another process, because opening blocks this one.
    const lock = `
      const database = new (require('bun:sqlite').Database)(process.argv[1])
      database.run('PRAGMA locking_mode = EXCLUSIVE')
      database.run('BEGIN EXCLUSIVE')
      console.log('locked')
      setTimeout(() => database.close(), 300)`
    await using other = Bun.spawn([process.execPath, '-e', lock, path], { stdout: 'pipe' })
    await other.stdout.getReader().read()
    expect(() => openSqliteTransaction(path, 'move')[Symbol.dispose]()).not.toThrow()
  })

  test('cannot be opened by others', () => {
    const path = sampleDatabase()
    using _ = openSqliteTransaction(path, 'move')
    using other = new Database(path)
    expect(() => other.query('SELECT * FROM users').all()).toThrow('database is locked')
  })

  test('cannot be read once it is closed', () => {
    const source = openSqliteTransaction(sampleDatabase(), 'move')
    source[Symbol.dispose]()
    return expect(Array.fromAsync(exportOf(source))).rejects.toThrow('closed database')
  })
})
