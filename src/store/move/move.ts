import { Checksum } from './checksum.ts'
import type { MoveSource } from './source.ts'
import { movedTables } from './tables.ts'
import type { MoveTarget } from './target.ts'

/** The rows of a table and their checksum. */
export interface MovedRows extends Pick<Checksum, 'rows' | 'checksum'> {
  name: string
}

export interface MoveProgress {
  /** Aborts between two batches. */
  signal: AbortSignal
  /** Called with the number of rows done and the total. */
  onRows: (done: number, total: number) => void
  /** Called when a table is copied and verified. */
  onTable: (table: MovedRows) => void
}

/**
 * Copies every table in batches. Each table is verified by the number and a checksum of the rows that were read, and of
 * those that PostgreSQL returns as it stored them.
 * @throws an error when a copy differs; StoreError; the reason of the signal
 */
export async function copyTables(source: MoveSource, target: MoveTarget, progress: MoveProgress): Promise<MovedRows[]> {
  const tables = movedTables()
  const total = tables.reduce((sum, table) => sum + source.count(table), 0)
  let done = 0
  const moved: MovedRows[] = []
  for (const table of tables) {
    const { name, columns } = table
    const [read, stored] = [new Checksum(), new Checksum()]
    for (const batch of source.batches(table)) {
      read.add(batch, columns)
      stored.add(await target.write(table, batch), columns)
      progress.signal.throwIfAborted()
      progress.onRows((done += batch.length), total)
    }
    const { rows, checksum } = read
    if (rows !== stored.rows) throw differs(`${name} has ${stored.rows} rows in PostgreSQL, and ${rows} in SQLite`)
    if (checksum !== stored.checksum) throw differs(`the rows of ${name} differ`)
    moved.push({ name, rows, checksum })
    progress.onTable({ name, rows, checksum })
  }
  return moved
}

const differs = (how: string) => new Error(`${how}. Make sure that no server uses that database, and try again`)
