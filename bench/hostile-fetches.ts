// Fetches from hostile servers, for bench/fetch.ts and bench/stalls.ts.
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

import { FetchError } from '../src/core/errors.ts'
import { PageScan } from '../src/core/extract/extract.ts'
import type { FetchedPage, Fetcher } from '../src/core/fetch/ports.ts'
import { budgetOf } from '../test/fetch/budget.ts'
import { fetcherFor } from '../test/fetch/fetcher-for.ts'
import type { OriginPorts } from './fetch-origin.ts'

/** The servers of fetch-origin.ts in a process of their own. Disposing it ends them. */
export interface FetchOrigin extends AsyncDisposable {
  ports: OriginPorts
  /** The number of connections to the port that no request may reach. */
  canaryConnections(): Promise<string>
}

/** @param firstPort of those that hostile pages are requested from, on all addresses; free ports on loopback by default */
export async function startFetchOrigin(firstPort = 0): Promise<FetchOrigin> {
  const origin = Bun.spawn([process.execPath, join(import.meta.dir, 'fetch-origin.ts'), String(firstPort)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = createInterface({ input: Readable.fromWeb(origin.stdout) })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the servers exited')
    return value
  }
  return {
    ports: JSON.parse(await nextLine()) as OriginPorts,
    canaryConnections() {
      origin.stdin.write('canary\n')
      origin.stdin.flush()
      return nextLine()
    },
    async [Symbol.asyncDispose]() {
      origin.stdin.end()
      await origin.exited
    },
  }
}

/** A fetcher that may connect to all of the servers but the canary. */
export function hostileFetcher({ hostile, good, pages }: OriginPorts) {
  const allow = [...hostile, good, pages].map((port) => `127.0.0.1:${port}`)
  return fetcherFor(allow, { concurrency: 256, startScan: (url) => new PageScan(url) })
}

/** One fetch; null when it fails. @throws unexpected errors */
export async function tryFetch(fetcher: Fetcher, url: string, timeoutMs: number): Promise<FetchedPage | null> {
  using budget = budgetOf(timeoutMs)
  try {
    return await fetcher.fetch(new URL(url), budget)
  } catch (error) {
    if (error instanceof FetchError) return null
    throw error
  }
}
