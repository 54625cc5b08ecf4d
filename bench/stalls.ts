// How long eight concurrent requests for the same hostile server or page block the event loop.
// usage: bun bench/main.ts stalls   (after `bun run build`)
import { extractHtml } from '../src/core/extract/extract.ts'
import type { Fetcher } from '../src/core/fetch/ports.ts'
import { HOSTILE_PAGES } from '../test/core/extract/hostile-pages.ts'
import { HOSTILE } from '../test/origin/hostile.ts'
import { type Stall, watchEventLoop } from './event-loop.ts'
import { hostileFetcher, startFetchOrigin, tryFetch } from './hostile-fetches.ts'

const CONCURRENCY = 8
/** The second round is measured; the first one is a warm-up. */
const ROUNDS = 2
/** Some servers never end their response. */
const SERVER_TIMEOUT_MS = 300
const PAGE_TIMEOUT_MS = 10_000
/** Longer than a tick, so that the delay after the last response is measured too. */
const REST_MS = 10
const SHOWN = 8

export async function run() {
  await using origin = await startFetchOrigin()
  const { hostile, pages } = origin.ports
  await using fetcher = hostileFetcher(origin.ports)
  const servers = HOSTILE.map(({ name }, n) => ({ name, url: `http://127.0.0.1:${hostile[n]}/` }))
  const pageUrls = Object.keys(HOSTILE_PAGES).map((name, n) => ({ name, url: `http://127.0.0.1:${pages}/${n}` }))
  await measure(`${servers.length} hostile servers`, fetcher, servers, SERVER_TIMEOUT_MS)
  await measure(`${pageUrls.length} hostile pages of 2 MB`, fetcher, pageUrls, PAGE_TIMEOUT_MS)
}

async function measure(
  title: string,
  fetcher: Fetcher,
  targets: readonly { name: string; url: string }[],
  timeoutMs: number,
) {
  const stalls: (Stall & { name: string })[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { name, url } of targets) {
      const loop = watchEventLoop()
      await Promise.all(Array.from({ length: CONCURRENCY }, () => fetchAndExtract(fetcher, url, timeoutMs)))
      await Bun.sleep(REST_MS)
      const stall = loop.stop()
      if (round === ROUNDS) stalls.push({ name, ...stall })
    }
  }
  stalls.sort((a, b) => b.worstOwnMs - a.worstOwnMs)
  console.log(`\n${title}, ${CONCURRENCY} requests at once; longest stalls by the thread's own work, and in all:`)
  for (const { name, worstMs, worstOwnMs } of stalls.slice(0, SHOWN)) {
    console.log(`${worstOwnMs.toFixed(0).padStart(5)} ms ${worstMs.toFixed(0).padStart(5)} ms   ${name}`)
  }
}

async function fetchAndExtract(fetcher: Fetcher, url: string, timeoutMs: number) {
  const page = await tryFetch(fetcher, url, timeoutMs)
  if (page?.kind !== 'html') return
  extractHtml({ bytes: page.bytes, encoding: page.charset.encoding, url: page.url, scan: page.scan })
}
