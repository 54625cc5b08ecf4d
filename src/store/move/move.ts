import { type Checksum, checksumOf } from './checksum.ts'
import { pagesOf } from './page.ts'
import type { MoveSource } from './source.ts'
import { type MovedTable, movedTables, storable } from './tables.ts'
import type { MoveTarget } from './target.ts'

/** The copy of a table differs from the original. */
export class CopyDiffersError extends Error {
  override name = 'CopyDiffersError'
}

export interface MovedRows extends Checksum {
  name: string
}

export interface MoveProgress {
  /** Aborts between two batches. */
  signal: AbortSignal
  /** Called with the number of rows done and the total. Each row counts twice: it is copied and then verified. */
  onRows: (done: number, total: number) => void
  onTable: (table: string, step: 'copied' | 'verified', rows: number) => void
}

/**
 * Copies every table in batches, and verifies each by its number of rows and a checksum of both sides.
 * @throws CopyDiffersError, StoreError; the reason of the signal
 */
export async function copyTables(source: MoveSource, target: MoveTarget, progress: MoveProgress): Promise<MovedRows[]> {
  const tables = movedTables()
  const total = 2 * tables.reduce((sum, table) => sum + source.count(table), 0)
  let done = 0
  for (const table of tables) {
    let rows = 0
    for await (const page of storablePages(table)) {
      await target.write(table, page)
      rows += page.length
    }
    progress.onTable(table.name, 'copied', rows)
  }
  const copied: MovedRows[] = []
  for (const table of tables) {
    const checksum = await verify(table)
    copied.push({ name: table.name, ...checksum })
    progress.onTable(table.name, 'verified', checksum.rows)
  }
  return copied

  async function verify(table: MovedTable): Promise<Checksum> {
    const expected = await checksumOf(storablePages(table), table.columns)
    const actual = await checksumOf(pagesOf(table, target.readPage), table.columns)
    if (expected.rows !== actual.rows) {
      throw new CopyDiffersError(`${table.name} has ${actual.rows} rows in PostgreSQL, and ${expected.rows} in SQLite`)
    }
    if (expected.checksum !== actual.checksum) throw new CopyDiffersError(`the rows of ${table.name} differ`)
    return expected
  }

  async function* storablePages(table: MovedTable) {
    for await (const page of pagesOf(table, source.readPage)) {
      yield page.map(storable)
      progress.signal.throwIfAborted()
      progress.onRows((done += page.length), total)
    }
  }
}
