import { readFileSync } from 'node:fs'

/** The text of a file; null if there is none. @throws if the file cannot be read */
export function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
