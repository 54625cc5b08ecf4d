import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { backupSource, backupTarget } from '../../../src/compose/data/backup-paths.ts'

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'urlmeta-backup-paths-')))
const inside = (path: string) => join(directory, path)
const DATABASE = inside('data/urlmeta.db')

beforeAll(() => {
  mkdirSync(inside('data'))
  for (const path of [DATABASE, inside('copy.db'), inside('copied.db')]) {
    using database = new Database(path)
    database.run('CREATE TABLE t (a)')
  }
  writeFileSync(inside('data/secret'), 'a'.repeat(64))
  writeFileSync(inside('data/serve.lock'), '')
  writeFileSync(inside('empty'), '')
  writeFileSync(inside('copied.db-wal'), '')
  writeFileSync(inside('gone.db-journal'), '')
  writeFileSync(inside('short'), 'SQLite')
  writeFileSync(inside('export.jsonl'), '{"urlmeta_export":1,"version":"1.2.3"}\n')
  writeFileSync(inside('other.json'), '{"name":"urlmeta_export"}\n')
  mkdirSync(inside('folder'))
  Bun.spawnSync(['mkfifo', inside('fifo')])
  linkSync(DATABASE, inside('hard.db'))
  const links = {
    'link.db': DATABASE,
    'link-to-copy.db': 'copy.db',
    'link-to-nothing.db': 'nothing',
    'link-to-data': 'data',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, inside(name))
})
afterAll(() => rmSync(directory, { recursive: true }))

const ITSELF = 'that is the database itself'
const NOT_REPLACED = 'that file is not a database, so it is not replaced'

describe('a backup is written to', () => {
  test.each([
    ['a new file', 'new.db', 'new.db'],
    ['a new file in the data directory', 'data/new.db', 'data/new.db'],
    ['an existing backup', 'copy.db', 'copy.db'],
    ['the target of a link', 'link-to-copy.db', 'copy.db'],
    ['an empty file, as mktemp creates it', 'empty', 'empty'],
  ])('%s', async (_, path, expected) => {
    expect(await backupTarget(inside(path), DATABASE, 'a database')).toBe(inside(expected))
  })
})

describe('a backup is not written to', () => {
  test.each([
    ['the database', 'data/urlmeta.db', ITSELF],
    ['the database, by a link', 'link.db', ITSELF],
    ['the database, by a hard link', 'hard.db', ITSELF],
    ['the database, by a link to its directory', 'link-to-data/urlmeta.db', ITSELF],
    ['its write-ahead log, which does not exist', 'data/urlmeta.db-wal', ITSELF],
    ['the cache', 'data/urlmeta-cache.db', ITSELF],
    ['the secret', 'data/secret', NOT_REPLACED],
    ['the lock of the server, an empty file', 'data/serve.lock', NOT_REPLACED],
    ['a file that is shorter than the header of a database', 'short', NOT_REPLACED],
    ['a directory', 'folder', 'that is a directory'],
    ['a FIFO', 'fifo', 'that is not a regular file'],
    ['a broken link', 'link-to-nothing.db', 'that is a link to a file that does not exist'],
    [
      'a copy of another database with its log',
      'copied.db',
      `${inside('copied.db-wal')} is the log of another database`,
    ],
    [
      'a new file beside the log of another one',
      'gone.db',
      `${inside('gone.db-journal')} is the log of another database`,
    ],
    ['a file in a missing directory', 'no/new.db', `there is no directory ${inside('no')}`],
    ['a path below a file', 'copy.db/new.db', `there is no directory ${inside('copy.db')}`],
  ])('%s', async (_, path, reason) => {
    await expect(backupTarget(inside(path), DATABASE, 'a database')).rejects.toThrow(reason)
  })

  test('a device', async () => {
    await expect(backupTarget('/dev/null', DATABASE, 'a database')).rejects.toThrow('that is not a regular file')
  })

  test('an empty path', async () => {
    await expect(backupTarget('', DATABASE, 'a database')).rejects.toThrow('the path is empty')
  })
})

describe('an export', () => {
  test.each([
    ['a new file', 'new.jsonl', 'new.jsonl'],
    ['an existing export', 'export.jsonl', 'export.jsonl'],
    ['an empty file', 'empty', 'empty'],
  ])('is written to %s', async (_, path, expected) => {
    expect(await backupTarget(inside(path), DATABASE, 'an export')).toBe(inside(expected))
  })

  test.each([
    ['another file of JSON', 'other.json', 'that file is not an export, so it is not replaced'],
    ['a backup', 'copy.db', 'that file is not an export, so it is not replaced'],
    ['the database', 'data/urlmeta.db', ITSELF],
    ['the lock of the server', 'data/serve.lock', 'that file is not an export, so it is not replaced'],
  ])('is not written to %s', async (_, path, reason) => {
    await expect(backupTarget(inside(path), DATABASE, 'an export')).rejects.toThrow(reason)
  })

  test('needs no data directory', async () => {
    expect(await backupTarget(inside('empty'), inside('no/data/urlmeta.db'), 'an export')).toBe(inside('empty'))
  })

  test('is not replaced by a backup', async () => {
    await expect(backupTarget(inside('export.jsonl'), DATABASE, 'a database')).rejects.toThrow(NOT_REPLACED)
  })
})

describe('a restore', () => {
  test.each([
    ['a backup', 'copy.db', 'copy.db'],
    ['the target of a link, next to its write-ahead log', 'link-to-copy.db', 'copy.db'],
  ])('reads %s', (_, path, expected) => {
    expect(backupSource(inside(path), DATABASE)).toBe(inside(expected))
  })

  test.each([
    ['the database, by a link', 'link.db', ITSELF],
    ['the database, by a hard link', 'hard.db', ITSELF],
    ['a directory', 'folder', 'that is a directory'],
    ['a FIFO', 'fifo', 'that is not a regular file'],
    ['a missing file', 'nothing.db', 'there is no such file'],
    ['a broken link', 'link-to-nothing.db', 'that is a link to a file that does not exist'],
  ])('does not read %s', (_, path, reason) => {
    expect(() => backupSource(inside(path), DATABASE)).toThrow(reason)
  })
})
