import { join } from 'node:path'

/**
 * Commands that this program runs in a separate process, because they would block it. They are not listed in the help.
 */
export const HIDDEN_COMMANDS = { checkDatabase: 'check-database', copyDatabase: 'copy-database' } as const

/** An upgrade replaces the file at `process.execPath`; on Linux, `/proc/self/exe` is still the running file. */
const EXECUTABLE = process.platform === 'linux' ? '/proc/self/exe' : process.execPath

/** The command line that runs this program; from source it is run by Bun. */
export function ownCommand(...args: string[]): string[] {
  const source = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, 'main.ts')]
  return [EXECUTABLE, ...source, ...args]
}
