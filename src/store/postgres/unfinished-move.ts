import { isNull } from 'drizzle-orm'

import { StoreError } from '../../core/store-fault.ts'
import { movedTables, type Drizzle } from './schema.ts'

/** @throws StoreError `unfinished_move` when a move into the database is not complete */
export async function requireNoUnfinishedMove(db: Drizzle): Promise<void> {
  const unfinished = await db.select().from(movedTables).where(isNull(movedTables.checksum)).limit(1)
  if (unfinished.length > 0) throw new StoreError('unfinished_move')
}
