// Shares of users: what one user alone gets of all slots, and how long another one waits beside a user who floods the
// service; for fetches and, where there is a Chromium, for rendered pages. Ratios within one run.
// usage: bun bench/main.ts fairness [seconds for each measurement]
import { parseAllowRule } from '../src/core/egress.ts'
import { findChromium } from '../src/fetch/chromium/executable.ts'
import { createFetcher } from '../src/fetch/fetcher.ts'
import { createRenderer } from '../src/fetch/renderer.ts'
import { budgetOf } from '../test/fetch/budget.ts'
import { FRAMEWORKS, openShellSite } from '../test/shells/shell-site.ts'

const TIMEOUT_MS = 15_000
const FETCHES_AT_ONCE = 32
const PAGES_AT_ONCE = 2

/** Requests of the flooding user under way and waiting, for each slot. */
const FLOOD_PER_SLOT = 8

/** One request of a user; rejects when it is not answered as it should be. */
type Ask = (user: string) => Promise<void>

export async function run([seconds = '5']: string[]) {
  const ms = Number(seconds) * 1_000
  await measureFetches(ms)
  const executable = findChromium()
  if (executable === null) console.log('no Chromium was found, so no pages were rendered')
  else await measureRendering(executable, ms)
}

/** Sites on several ports, so that all slots are what is scarce; and one site, so that its host's slots are. */
async function measureFetches(ms: number) {
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
  await using fetcher = createFetcher({
    allow: [parseAllowRule('127.0.0.1')!],
    dnsServers: null,
    userAgent: 'urlmeta-bench',
    concurrency: FETCHES_AT_ONCE,
    isHeadComplete: () => true,
  })
  const asking =
    (servers: typeof sites): Ask =>
    async (user) => {
      using budget = budgetOf(TIMEOUT_MS, user)
      const { port } = servers[Math.floor(Math.random() * servers.length)]!
      await fetcher.fetch(new URL(`http://127.0.0.1:${port}/${crypto.randomUUID()}`), budget)
    }
  const pages = asking(sites)
  console.log(`fetches, ${FETCHES_AT_ONCE} at once, pages of 100 ms`)
  await compareAlone(pages, FETCHES_AT_ONCE, ms)
  await compareBeside('pages of 100 ms', pages, pages, FETCHES_AT_ONCE, ms)
  await compareBeside('pages of 1,000 ms', asking(slowSites), pages, FETCHES_AT_ONCE, ms)
  const onePage = asking(sites.slice(0, 1))
  await compareBeside('the same site', onePage, onePage, FETCHES_AT_ONCE, ms)
  await Promise.all([...sites, ...slowSites].map((server) => server.stop(true)))
}

async function measureRendering(executable: string, ms: number) {
  using site = await openShellSite()
  await using renderer = createRenderer({
    executable,
    allow: [parseAllowRule(`127.0.0.1:${site.port}`)!],
    dnsServers: null,
    ownPorts: () => [],
    concurrency: PAGES_AT_ONCE,
    userAgent: null,
  })
  let asked = 0
  const page: Ask = async (user) => {
    using budget = budgetOf(TIMEOUT_MS, user)
    const url = new URL(site.urlOf(FRAMEWORKS[asked++ % FRAMEWORKS.length]!, 'fetched'))
    const outcome = await renderer.render(url, budget)
    if ('failure' in outcome) throw new Error(`${url}: ${outcome.failure}`)
  }
  await page('warm-up')
  console.log(`rendered pages, ${PAGES_AT_ONCE} at once`)
  await compareAlone(page, PAGES_AT_ONCE, ms)
  await compareBeside('shells', page, page, PAGES_AT_ONCE, ms)
}

/** One user with many requests against as many users as there are slots, each with one request at a time. */
async function compareAlone(ask: Ask, slots: number, ms: number) {
  const all = await countFor(ms, slots, (worker) => ask(`user ${worker}`))
  const alone = await countFor(ms, slots * FLOOD_PER_SLOT, () => ask('alone'))
  console.log(`  one user alone: ${(alone / all).toFixed(2)} of what ${slots} users get together`)
}

/** The time of a user's requests, one after the other, with and without a user who floods. */
async function compareBeside(flood: string, floodAsk: Ask, ask: Ask, slots: number, ms: number) {
  const own = median(await durationsFor(ms, ask))
  const stop = new AbortController()
  const flooding = Promise.all(
    Array.from({ length: slots * FLOOD_PER_SLOT }, async () => {
      while (!stop.signal.aborted) await floodAsk('flooding')
    }),
  )
  const beside = median(await durationsFor(ms, ask))
  stop.abort()
  await flooding
  console.log(
    `  beside a flood of ${flood}: ${(beside / own).toFixed(2)} times its own time ` +
      `(median ${Math.round(beside)} ms, alone ${Math.round(own)} ms)`,
  )
}

async function countFor(ms: number, workers: number, work: (worker: number) => Promise<void>): Promise<number> {
  const endsAt = performance.now() + ms
  let count = 0
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (performance.now() < endsAt) {
        await work(worker)
        if (performance.now() < endsAt) count++
      }
    }),
  )
  return count
}

async function durationsFor(ms: number, ask: Ask): Promise<number[]> {
  const endsAt = performance.now() + ms
  const durations: number[] = []
  while (performance.now() < endsAt) {
    const startedAt = performance.now()
    await ask('modest')
    durations.push(performance.now() - startedAt)
  }
  return durations
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
