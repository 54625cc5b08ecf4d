import { writeFileSync } from 'node:fs'

import { printable } from './output.ts'
import { SIGNAL_EXITS } from './progress.ts'
import { note } from './urls.ts'

/**
 * The URLs that a command has not read, in the file of `--unread`, which `--file` reads. Write it at the start
 * too, in case the command is killed.
 * @param file undefined for none
 * @param lineOf the line of a URL
 */
export function openUnreadList(file: string | undefined, urls: readonly string[], lineOf: (url: string) => string) {
  const unread = new Set(urls)
  const write = () => {
    if (file !== undefined) writeFileSync(file, Array.from(unread, (url) => `${printable(lineOf(url))}\n`).join(''))
  }
  if (file !== undefined) {
    for (const [signal, exitCode] of Object.entries(SIGNAL_EXITS)) {
      process.once(signal, () => {
        write()
        note(`Interrupted. Pages not read: ${unread.size}. --file ${file} continues.`)
        process.exit(exitCode)
      })
    }
  }
  return {
    read: (url: string) => void unread.delete(url),
    isEmpty: () => unread.size === 0,
    /** Writes the URLs that are not read. @throws the error of the system */
    write,
  }
}
