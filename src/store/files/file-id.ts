import { statSync } from 'node:fs'

/** All hard links to a file have the same id. Null if there is no file at the path. */
export function fileIdOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}
