import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux has the semaphores and the shared memory of POSIX. */
const SHARED_MEMORY = '/dev/shm'

/**
 * The environment of processes whose clock differs by `shift`, such as `+400d`.
 * @param faketime the path of the program
 */
export function faketimeEnv(faketime: string, shift: string): Record<'LD_PRELOAD' | 'FAKETIME', string> {
  removeFaketimeLeftovers()
  const { success, stdout, stderr } = Bun.spawnSync([faketime, '-f', shift, 'env'])
  const library = /^LD_PRELOAD=(.*)$/m.exec(stdout.toString())?.[1]
  if (!success || library === undefined) throw new Error(stderr.toString())
  return { LD_PRELOAD: library, FAKETIME: shift }
}

/**
 * Removes the semaphores and shared memory of processes that have ended. libfaketime creates them for each process, and a killed
 * one leaves them; `faketime` then fails in a process with the same id.
 */
export function removeFaketimeLeftovers(): void {
  if (!existsSync(SHARED_MEMORY)) return
  for (const name of readdirSync(SHARED_MEMORY)) {
    const pid = /^(?:faketime_shm|sem\.faketime_sem)_(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(SHARED_MEMORY, name), { force: true })
  }
}
