import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sizeOfCopy } from '../../src/store/sqlite/backup.ts'

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-size-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the size of a copy has no free pages', () => {
  const [path, copy] = [join(folder, 'with-free-pages.db'), join(folder, 'copy.db')]
  {
    using database = new Database(path)
    database.run('CREATE TABLE t (x)')
    database.run('INSERT INTO t VALUES (zeroblob(1000000))')
    database.run('DELETE FROM t')
    database.run('VACUUM INTO ?', [copy])
  }
  expect(sizeOfCopy(path)).toBe(statSync(copy).size)
  expect(statSync(path).size).toBeGreaterThan(1_000_000)
})

test.each([
  ['does not exist', 'missing.db', null],
  ['is no database', 'text.db', 'not a database, but longer than the header of one'.repeat(10)],
])('the size of a copy of a file that %s is unknown', (_, name, text) => {
  if (text !== null) writeFileSync(join(folder, name), text)
  expect(sizeOfCopy(join(folder, name))).toBeNull()
})
