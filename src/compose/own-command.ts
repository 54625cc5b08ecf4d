import { join } from 'node:path'

/** The command line that runs this program; from source it is run by Bun. */
export function ownCommand(...args: string[]): string[] {
  const source = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, '../main.ts')]
  return [process.execPath, ...source, ...args]
}
