// Fairness between users: how much of all slots a single user gets, and how long a user waits while another one floods the
// service; for fetches and, if Chromium is installed, for rendered pages. Both sides of a comparison alternate in one run. Last,
// the latency of a user of the executable beside the heaviest burst of a Free user, whose pages the same worker reads.
// usage: bun bench/main.ts fairness [rounds]      (after `bun run build`)
import { parseAllowRule } from '../src/core/net/egress.ts'
import { findChromium } from '../src/fetch/chromium/executable.ts'
import { PageScan } from '../src/core/extract/extract.ts'
import { createRenderer } from '../src/fetch/chromium/renderer.ts'
import { budgetOf } from '../test/fetch/budget.ts'
import { fetcherFor } from '../test/fetch/fetcher-for.ts'
import { FRAMEWORKS, openShellSite } from '../test/shells/shell-site.ts'
import { startFlood } from './flood.ts'
import { median, timed } from './statistics.ts'
import { settingsOf } from '../test/settings.ts'
import { DEFAULT_PLANS } from '../src/core/plan.ts'
import { MAX_PAGE_BYTES } from '../src/fetch/response/limits.ts'
import { HOSTILE_PAGES } from '../test/core/extract/hostile-pages.ts'
import { createInstallation } from './servers.ts'
import { pagesOf } from './pages.ts'

const TIMEOUT_MS = 60_000
const CONCURRENT_FETCHES = 32
const CONCURRENT_PAGES = 4

/** Requests of the flooding user, running or waiting, per slot. */
const FLOOD_PER_SLOT = 8

/** Sequential requests of the other user per round. */
const MODEST_REQUESTS = 8

/** How long a site near the server takes to respond. */
const NEAR_SITE_MS = 10

/** Requests to the executable before the first measurement. */
const WARM_UP_REQUESTS = 300

/** The requests that the keys of a Free user may send at once. */
const BURST = DEFAULT_PLANS.free.perMinute * DEFAULT_PLANS.free.maxKeys

/** Pages that take the most time of each kind: of tags, of metadata that is read to the end, and of JSON-LD. */
const HEAVY_PAGES = ['unclosed div', 'description metas', 'bylines', 'JSON-LD nodes']

/** One request of a user; rejects when it fails. */
type Send = (user: string) => Promise<void>

export async function run([rounds = '5']: string[]) {
  // A round of fetches takes one or two seconds; a round of rendered pages takes ten.
  await measureFetches(Number(rounds) * 3)
  const executable = findChromium()
  if (executable === null) console.log('no Chromium was found, so no pages were rendered')
  else await measureRendering(executable, Number(rounds))
  await measureBursts(Number(rounds))
}

/** Several sites, so that the total number of slots is the limit; then one site, so that the slots per host are. */
async function measureFetches(rounds: number) {
  const open = (delayMs: number) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch() {
        await Bun.sleep(delayMs)
        return new Response('<title>T</title>', { headers: { 'content-type': 'text/html' } })
      },
    })
  const sites = Array.from({ length: 4 }, () => open(100))
  const slowSites = Array.from({ length: 4 }, () => open(1_000))
  const startScan = (url: URL) => new PageScan(url)
  await using fetcher = fetcherFor(['127.0.0.1'], { concurrency: CONCURRENT_FETCHES, startScan })
  let count = 0
  const requestsTo =
    (servers: typeof sites): Send =>
    async (user) => {
      using budget = budgetOf(TIMEOUT_MS, user)
      const { port } = servers[count++ % servers.length]!
      await fetcher.fetch(new URL(`http://127.0.0.1:${port}/${crypto.randomUUID()}`), budget)
    }
  const pages = requestsTo(sites)
  console.log(`fetches, ${CONCURRENT_FETCHES} concurrent, pages of 100 ms`)
  await compareAlone(pages, CONCURRENT_FETCHES, rounds)
  await compareDuringFlood('pages of 100 ms', pages, pages, CONCURRENT_FETCHES, rounds)
  await compareDuringFlood('pages of 1,000 ms', requestsTo(slowSites), pages, CONCURRENT_FETCHES, rounds)
  const onePage = requestsTo(sites.slice(0, 1))
  await compareDuringFlood('the same site', onePage, onePage, CONCURRENT_FETCHES, rounds)
  await Promise.all([...sites, ...slowSites].map((server) => server.stop(true)))
}

async function measureRendering(executable: string, rounds: number) {
  using site = await openShellSite()
  await using renderer = createRenderer({
    chromium: { executable },
    settings: settingsOf({ allow: [parseAllowRule(`127.0.0.1:${site.port}`)!] }),
    dnsServers: null,
    egressProxy: null,
    ownPorts: () => [],
    concurrency: CONCURRENT_PAGES,
    userAgent: null,
  })
  let count = 0
  const page: Send = async (user) => {
    using budget = budgetOf(TIMEOUT_MS, user)
    const url = new URL(site.urlOf(FRAMEWORKS[count++ % FRAMEWORKS.length]!, 'fetched'))
    const outcome = await renderer.render(url, budget)
    if ('failure' in outcome) throw new Error(`${url}: ${outcome.failure}`)
  }
  await Promise.all(Array.from({ length: CONCURRENT_PAGES }, () => page('warm-up')))
  console.log(`rendered pages, ${CONCURRENT_PAGES} concurrent`)
  await compareAlone(page, CONCURRENT_PAGES, rounds)
  await compareDuringFlood('shells', page, page, CONCURRENT_PAGES, rounds)
}

/** Compares concurrent requests of one user with as many of two users. Both keep all slots busy, so no reserve slot is used. */
async function compareAlone(send: Send, slots: number, rounds: number) {
  const spans = { alone: [] as number[], together: [] as number[] }
  const requests = Array.from({ length: slots * FLOOD_PER_SLOT }, (_, i) => i)
  const ways = {
    alone: () => Promise.all(requests.map(() => send('alone'))),
    together: () => Promise.all(requests.map((i) => send(i % 2 === 0 ? 'one' : 'another'))),
  }
  for (let round = 0; round < rounds; round++) {
    const order = ['alone', 'together'] as const
    for (const way of round % 2 === 0 ? order : order.toReversed()) spans[way].push(await timed(ways[way]))
  }
  console.log(
    `  one user alone: ${(median(spans.together) / median(spans.alone)).toFixed(2)} of the rate of two users together`,
  )
}

/** The latency of a user's sequential requests, with and without another user who floods the service. */
async function compareDuringFlood(flood: string, sendFlood: Send, send: Send, slots: number, rounds: number) {
  const without: number[] = []
  const during: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < MODEST_REQUESTS; i++) without.push(await timed(() => send('modest')))
    await using _ = startFlood(slots * FLOOD_PER_SLOT, () => sendFlood('flooding'))
    for (let i = 0; i < MODEST_REQUESTS; i++) during.push(await timed(() => send('modest')))
  }
  printLatencies(`a flood of ${flood}`, during, without)
}

/** Starts the executable with one worker, and compares a user's requests with and without bursts of another user. */
async function measureBursts(rounds: number) {
  const gzipped = HEAVY_PAGES.map((name) => Bun.gzipSync(HOSTILE_PAGES[name]!(MAX_PAGE_BYTES)))
  const ordinary = pagesOf(undefined)
  let served = 0
  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const [, kind] = new URL(request.url).pathname.split('/')
      const headers = { 'content-type': 'text/html; charset=utf-8' }
      if (kind === 'ordinary') {
        await Bun.sleep(NEAR_SITE_MS)
        return new Response(ordinary[served++ % ordinary.length], { headers })
      }
      return new Response(gzipped[Number(kind)], { headers: { ...headers, 'content-encoding': 'gzip' } })
    },
  })
  using installation = createInstallation(origin.port!, { URLMETA_WORKERS: '1' })
  await using server = await installation.start()
  const key = installation.createKey('other@example.com')
  const request = async (kind: string | number, apiKey: string) => {
    const url = `http://127.0.0.1:${origin.port}/${kind}/${crypto.randomUUID()}`
    const response = await fetch(`${server.base}/v1/metadata?timeout=15000&url=${url}`, {
      headers: { 'x-api-key': apiKey },
    })
    await response.text()
  }
  const ordinaryRequest = () => request('ordinary', installation.key)
  for (let i = 0; i < WARM_UP_REQUESTS; i++) await ordinaryRequest()
  console.log(`the executable with one worker, bursts of ${BURST} pages of 2 MB, gzipped`)
  for (const [kind, name] of HEAVY_PAGES.entries()) {
    const without: number[] = []
    const during: number[] = []
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < MODEST_REQUESTS; i++) without.push(await timed(ordinaryRequest))
      const burst = Promise.all(Array.from({ length: BURST }, () => request(kind, key)))
      const hasEnded = burst.then(() => true)
      do during.push(await timed(ordinaryRequest))
      while (!(await Promise.race([hasEnded, false])))
    }
    printLatencies(`a burst of pages with ${name}`, during, without)
  }
}

function printLatencies(flood: string, during: readonly number[], without: readonly number[]) {
  console.log(
    `  during ${flood}: ${(median(during) / median(without)).toFixed(2)} times the latency without it ` +
      `(median ${Math.round(median(during))} ms, without ${Math.round(median(without))} ms)`,
  )
}
