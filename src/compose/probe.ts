import { messageOf } from '../core/errors.ts'
import { STORE_FAULTS, StoreError } from '../core/store-fault.ts'
import { checkDatabase } from '../store/sqlite/backup.ts'
import { retryWhenBusy } from '../store/sqlite/retry-when-busy.ts'
import { probe } from '../store/sqlite/probe.ts'

/** Reads the whole database at `path` and writes a row. Returns the fault and its remedy; null if there is no fault. */
export async function probeDatabase(path: string): Promise<{ error: string; remedy: string } | null> {
  try {
    checkDatabase(path)
    await retryWhenBusy({ probe }).probe(path)
    return null
  } catch (error) {
    if (error instanceof StoreError) return { error: error.message, remedy: STORE_FAULTS[error.fault].remedy }
    return { error: messageOf(error), remedy: STORE_FAULTS.damaged.remedy }
  }
}
