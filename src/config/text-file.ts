import { readFileSync, statSync } from 'node:fs'

import type { Parsed } from './parse.ts'

/**
 * The text of a UTF-8 file, without a byte-order mark, or an error if the file cannot be used; null if it does not
 * exist.
 */
export function readTextFile(path: string, maxBytes = Infinity): Parsed<string> | null {
  try {
    const stats = statSync(path)
    // Reading a FIFO waits for a writer, which would stop a running server when it reloads its configuration.
    if (stats.isFIFO()) return { error: 'is a FIFO, expected a file' }
    if (stats.isDirectory()) return { error: 'is a directory, expected a file' }
    if (stats.size > maxBytes) return { error: `is larger than ${maxBytes} bytes` }
    return { value: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT') return null
    return { error: code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : `cannot be read (${code})` }
  }
}
