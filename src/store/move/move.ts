import { type Checksum, checksumOf } from './checksum.ts'
import { keyOf, pagesOf } from './page.ts'
import type { MoveSource } from './source.ts'
import { type MovedTable, movedTables, storable } from './tables.ts'
import type { MoveTarget, TableProgress } from './target.ts'

/** The copy of a table differs from the original. */
export class CopyDiffersError extends Error {
  override name = 'CopyDiffersError'
}

export interface MovedRows extends Checksum {
  name: string
}

export interface MoveOptions {
  /** Identifies the move, so that a repeated call continues it. */
  moveId: string
  /** Aborts between two batches. */
  signal: AbortSignal
  /** Called with the rows done and the total; each row is copied and then verified, which counts twice. */
  onRows: (done: number, total: number) => void
  onTable: (table: string, step: 'copied' | 'verified', rows: number) => void
  /** Called before the first row is copied. */
  onBegin: (isContinued: boolean) => void
}

/**
 * Copies every table in batches, and verifies each by its number of rows and a checksum of both sides.
 * @throws TargetInUseError, CopyDiffersError, StoreError; the reason of the signal
 */
export async function moveTables(source: MoveSource, target: MoveTarget, options: MoveOptions): Promise<MovedRows[]> {
  const { moveId, onBegin, onTable } = options
  const tables = movedTables()
  const progress = await target.begin(moveId, tables)
  const isContinued = [...progress.values()].some(({ lastKey, checksum }) => lastKey !== null || checksum !== null)
  onBegin(isContinued)
  const finished = finishedRows(progress)
  if (finished !== null) return finished

  const total = 2 * tables.reduce((sum, table) => sum + source.count(table), 0)
  let done = 0
  const advance = (rows: number) => {
    options.signal.throwIfAborted()
    options.onRows((done += rows), total)
  }
  for (const table of tables) onTable(table.name, 'copied', await copy(table, progress.get(table.name)!))
  const checksums = new Map<string, Checksum>()
  for (const table of tables) {
    const checksum = await verify(table)
    checksums.set(table.name, checksum)
    onTable(table.name, 'verified', checksum.rows)
  }
  await target.finish(checksums)
  return [...checksums].map(([name, checksum]) => ({ name, ...checksum }))

  async function copy(table: MovedTable, { rows: copied, lastKey }: TableProgress): Promise<number> {
    let rows = copied
    advance(rows)
    for await (const page of pagesOf(table, source.readPage, lastKey)) {
      rows += page.length
      await target.write(table, page.map(storable), { rows, lastKey: keyOf(table, page.at(-1)!) })
      advance(page.length)
    }
    return rows
  }

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
      advance(page.length)
      yield page.map(storable)
    }
  }
}

/**
 * The moved tables if all are verified, because an earlier process exited before it could record the move in the data
 * directory; otherwise null.
 */
function finishedRows(progress: ReadonlyMap<string, TableProgress>): MovedRows[] | null {
  const tables: MovedRows[] = []
  for (const [name, { rows, checksum }] of progress) {
    if (checksum === null) return null
    tables.push({ name, rows, checksum })
  }
  return tables
}
