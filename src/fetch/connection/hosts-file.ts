import { readFile } from 'node:fs/promises'

import { comparableName } from '../../core/net/local-name.ts'

/** How long the parsed file is cached; edits take effect after this time. */
const FRESH_MS = 10_000

/**
 * Looks up names in a hosts file; [] for names that are not in it. c-ares ignores the file, but a container's
 * `extra_hosts` are only there.
 */
export function openHostsFile(path: string): (host: string) => Promise<string[]> {
  let names: Promise<Map<string, string[]>> | undefined
  let readAtMs = 0

  return async (host) => {
    if (names === undefined || performance.now() - readAtMs > FRESH_MS) {
      readAtMs = performance.now()
      names = readFile(path, 'utf8').then(parse, () => {
        // The file is read again next time, because reading may have failed for lack of a file descriptor.
        names = undefined
        return new Map()
      })
    }
    return (await names).get(comparableName(host)) ?? []
  }
}

function parse(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address, ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (!address) continue
    for (const alias of aliases) names.getOrInsertComputed(comparableName(alias), () => []).push(address)
  }
  return names
}
