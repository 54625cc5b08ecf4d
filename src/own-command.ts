import { join } from 'node:path'

/** Commands that this program runs in a separate process, because they block it; not listed in the help. */
export const HIDDEN_COMMANDS = { checkDatabase: 'check-database', copyDatabase: 'copy-database' } as const

/** An upgrade replaces the file at `process.execPath`; on Linux, this one is the running file. */
const EXECUTABLE = process.platform === 'linux' ? '/proc/self/exe' : process.execPath

/** The command line that runs this program; from source it is run by Bun. */
export function ownCommand(...args: string[]): string[] {
  const source = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, 'main.ts')]
  return [EXECUTABLE, ...source, ...args]
}

/**
 * Replaces this process with one whose environment also has these variables, unless `env` has them. Needed for options that the
 * engine reads before the program starts. The process id and the arguments stay the same. Does nothing from source, on Windows,
 * and if the executable cannot be started again, because its file was deleted for example.
 */
export function restartWith(variables: Record<string, string>, env: Record<string, string | undefined>): void {
  const isComplete = Object.keys(variables).every((name) => env[name] !== undefined)
  if (isComplete || !Bun.isStandaloneExecutable || process.platform === 'win32') return
  try {
    process.execve?.(process.execPath, [process.argv0, ...process.argv.slice(2)], { ...variables, ...env })
  } catch {}
}
