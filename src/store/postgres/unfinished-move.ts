import { isNull } from 'drizzle-orm'

import { StoreError } from '../../core/store-fault.ts'
import { movedTables, type Drizzle } from './schema.ts'

/** @throws StoreError `unfinished_move` when only a part of another installation was copied into the database */
export async function requireNoUnfinishedMove(db: Drizzle): Promise<void> {
  const unfinished = await db.select().from(movedTables).where(isNull(movedTables.checksum)).limit(1)
  if (unfinished.length > 0) throw new StoreError('unfinished_move')
}
