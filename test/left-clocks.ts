import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux has the semaphores and the shared memory of POSIX. */
const SHARED_MEMORY = '/dev/shm'

/**
 * Removes what libfaketime keeps for each process with a shifted clock, of processes that have ended: killed ones leave it, and
 * `faketime` then fails in a process with the same id.
 */
export function removeLeftClocks(): void {
  if (!existsSync(SHARED_MEMORY)) return
  for (const name of readdirSync(SHARED_MEMORY)) {
    const pid = /^(?:faketime_shm|sem\.faketime_sem)_(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(SHARED_MEMORY, name), { force: true })
  }
}
