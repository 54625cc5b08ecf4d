import { statSync } from 'node:fs'

/** The same for all links to a file; null if there is none at the path. */
export function fileIdOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}
