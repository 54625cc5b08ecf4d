import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Commands that this program runs in a separate process, because they block it; not listed in the help. */
export const HIDDEN_COMMANDS = { checkDatabase: 'check-database', copyDatabase: 'copy-database' } as const

/** An upgrade replaces the file at `process.execPath`; on Linux, this is the one that this process runs. */
const RUNNING = '/proc/self/exe'

/** The command line that runs this program; from source it is run by Bun. */
export function ownCommand(...args: string[]): string[] {
  const source = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, 'main.ts')]
  return [existsSync(RUNNING) ? RUNNING : process.execPath, ...source, ...args]
}
