import { statSync } from 'node:fs'

import { attempt } from '../../core/attempt.ts'

/** All hard links to a file have the same id. Null if there is no file at the path. */
export function fileIdOf(path: string): string | null {
  const stats = attempt(() => statSync(path))
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`
}
