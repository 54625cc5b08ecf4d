// How long eight concurrent requests for the same hostile server or page block the event loop; and, for bench/goals.ts, the
// latency of cached responses for one key while another key requests such pages.
// usage: bun bench/main.ts stalls   (after `bun run build`)
import { extractHtml } from '../src/core/extract/extract.ts'
import type { Fetcher } from '../src/core/fetch/ports.ts'
import { HOSTILE_PAGES } from '../test/core/extract/hostile-pages.ts'
import { HOSTILE } from '../test/origin/hostile.ts'
import { type Stall, watchEventLoop } from './event-loop.ts'
import { startFlood } from './flood.ts'
import type { OriginPorts } from './fetch-origin.ts'
import { hostileFetcher, startFetchOrigin, tryFetch } from './hostile-fetches.ts'
import { createInstallation, type Server } from './servers.ts'
import { percentile, timed } from './statistics.ts'

const CONCURRENCY = 8
/** The second round is measured; the first one is a warm-up. */
const ROUNDS = 2
/** Some servers never end their response. */
const SERVER_TIMEOUT_MS = 300
const PAGE_TIMEOUT_MS = 10_000
/** Longer than a tick, so that the delay after the last response is measured too. */
const REST_MS = 10
const SHOWN = 8

/** The hostile page that one key requests while another key requests a cached result. */
const FLOOD_PAGE = 'unclosed div'
const FLOOD_CONCURRENCY = 16
const FLOOD_WARM_UP_MS = 2_000
const LATENCY_MS = 8_000
/** The pause between two requests for the cached result. */
const PAUSE_MS = 2

export async function run() {
  await using origin = await startFetchOrigin()
  const { hostile, pages } = origin.ports
  await using fetcher = hostileFetcher(origin.ports)
  const servers = HOSTILE.map(({ name }, n) => ({ name, url: `http://127.0.0.1:${hostile[n]}/` }))
  const pageUrls = Object.keys(HOSTILE_PAGES).map((name, n) => ({ name, url: `http://127.0.0.1:${pages}/${n}` }))
  await measure(`${servers.length} hostile servers`, fetcher, servers, SERVER_TIMEOUT_MS)
  await measure(`${pageUrls.length} hostile pages of 2 MB`, fetcher, pageUrls, PAGE_TIMEOUT_MS)
}

/**
 * The latency of cached responses of the executable, without other load and during a flood by another key, and the longest
 * stall of its main thread during the flood, in milliseconds.
 */
export async function measureOtherKey({ good, pages }: OriginPorts) {
  using installation = createInstallation(pages, { URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  const key = installation.createKey('other@example.com')
  await using server = await installation.start()
  const request = async (withKey: string, url: string) => {
    const headers = { 'x-api-key': withKey }
    await (await fetch(`${server.base}/v1/metadata?url=${encodeURIComponent(url)}`, { headers })).arrayBuffer()
  }
  const cached = () => request(key, `http://127.0.0.1:${good}/`)
  await cached()
  const quiet = await latenciesOf(cached)
  const which = Object.keys(HOSTILE_PAGES).indexOf(FLOOD_PAGE)
  let requests = 0
  const flood = startFlood(FLOOD_CONCURRENCY, () =>
    request(installation.key, `http://127.0.0.1:${pages}/${which}?${requests++}`),
  )
  await Bun.sleep(FLOOD_WARM_UP_MS)
  await longestStall(server)
  const flooded = await latenciesOf(cached)
  const stallMs = await longestStall(server)
  await flood[Symbol.asyncDispose]()
  for (const [name, times] of Object.entries({ quiet, flooded })) {
    console.log(`${name} p50 ${percentile(times, 50).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms`)
  }
  return { quietP99: percentile(quiet, 99), floodedP99: percentile(flooded, 99), stallMs }
}

/** The longest delay of the main thread since the last call, in milliseconds. */
async function longestStall({ base }: Server): Promise<number> {
  const metrics = await (await fetch(`${base}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds (.*)$/m.exec(metrics)?.[1]) * 1_000
}

/** Latencies of sequential requests in milliseconds. */
async function latenciesOf(request: () => Promise<void>): Promise<number[]> {
  const times: number[] = []
  const endsAt = performance.now() + LATENCY_MS
  while (performance.now() < endsAt) {
    times.push(await timed(request))
    await Bun.sleep(PAUSE_MS)
  }
  return times
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
