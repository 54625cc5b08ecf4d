import { join } from 'node:path'

/** The command line that runs this very program; from source, Bun runs it. */
export function selfCommand(...args: string[]): string[] {
  const source = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, '../main.ts')]
  return [process.execPath, ...source, ...args]
}
