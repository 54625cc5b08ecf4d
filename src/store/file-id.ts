import { statSync } from 'node:fs'

/** The same for all links to a file; null if there is none at the path. */
export function fileIdOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.dev}:${stats.ino}` : null
}
