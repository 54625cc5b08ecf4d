// Fairness between users: how much of all slots a single user gets, and how long a user waits while another one floods the
// service; for fetches and, if Chromium is installed, for rendered pages. Both sides of a comparison alternate in one run.
// usage: bun bench/main.ts fairness [rounds]
import { parseAllowRule } from '../src/core/egress.ts'
import { findChromium } from '../src/fetch/chromium/executable.ts'
import { PageScan } from '../src/core/extract/extract.ts'
import { createFetcher } from '../src/fetch/fetcher.ts'
import { createRenderer } from '../src/fetch/chromium/renderer.ts'
import { budgetOf } from '../test/fetch/budget.ts'
import { FRAMEWORKS, openShellSite } from '../test/shells/shell-site.ts'
import { median } from './figures.ts'

const TIMEOUT_MS = 60_000
const FETCHES_AT_ONCE = 32
const PAGES_AT_ONCE = 4

/** Requests of the flooding user, running or waiting, per slot. */
const FLOOD_PER_SLOT = 8

/** Sequential requests of the other user per round. */
const MODEST_REQUESTS = 8

/** One request of a user; rejects when it fails. */
type Ask = (user: string) => Promise<void>

export async function run([rounds = '5']: string[]) {
  // A round of fetches takes one or two seconds, a round of rendered pages ten.
  await measureFetches(Number(rounds) * 3)
  const executable = findChromium()
  if (executable === null) console.log('no Chromium was found, so no pages were rendered')
  else await measureRendering(executable, Number(rounds))
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
  await using fetcher = createFetcher({
    allow: [parseAllowRule('127.0.0.1')!],
    dnsServers: null,
    userAgent: 'urlmeta-bench',
    concurrency: FETCHES_AT_ONCE,
    startScan: (url) => new PageScan(url),
  })
  let asked = 0
  const asking =
    (servers: typeof sites): Ask =>
    async (user) => {
      using budget = budgetOf(TIMEOUT_MS, user)
      const { port } = servers[asked++ % servers.length]!
      await fetcher.fetch(new URL(`http://127.0.0.1:${port}/${crypto.randomUUID()}`), budget)
    }
  const pages = asking(sites)
  console.log(`fetches, ${FETCHES_AT_ONCE} at once, pages of 100 ms`)
  await compareAlone(pages, FETCHES_AT_ONCE, rounds)
  await compareBeside('pages of 100 ms', pages, pages, FETCHES_AT_ONCE, rounds)
  await compareBeside('pages of 1,000 ms', asking(slowSites), pages, FETCHES_AT_ONCE, rounds)
  const onePage = asking(sites.slice(0, 1))
  await compareBeside('the same site', onePage, onePage, FETCHES_AT_ONCE, rounds)
  await Promise.all([...sites, ...slowSites].map((server) => server.stop(true)))
}

async function measureRendering(executable: string, rounds: number) {
  using site = await openShellSite()
  await using renderer = createRenderer({
    chromium: { executable },
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
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, () => page('warm-up')))
  console.log(`rendered pages, ${PAGES_AT_ONCE} at once`)
  await compareAlone(page, PAGES_AT_ONCE, rounds)
  await compareBeside('shells', page, page, PAGES_AT_ONCE, rounds)
}

/** Compares concurrent requests of one user with as many of two users. Both keep all slots busy, so no reserve slot is used. */
async function compareAlone(ask: Ask, slots: number, rounds: number) {
  const spans = { alone: [] as number[], together: [] as number[] }
  const requests = Array.from({ length: slots * FLOOD_PER_SLOT }, (_, i) => i)
  const ways = {
    alone: () => Promise.all(requests.map(() => ask('alone'))),
    together: () => Promise.all(requests.map((i) => ask(i % 2 === 0 ? 'one' : 'another'))),
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
async function compareBeside(flood: string, floodAsk: Ask, ask: Ask, slots: number, rounds: number) {
  const own: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < MODEST_REQUESTS; i++) own.push(await timed(() => ask('modest')))
    const over = new AbortController()
    const flooding = Promise.all(
      Array.from({ length: slots * FLOOD_PER_SLOT }, async () => {
        while (!over.signal.aborted) await floodAsk('flooding')
      }),
    )
    for (let i = 0; i < MODEST_REQUESTS; i++) beside.push(await timed(() => ask('modest')))
    over.abort()
    await flooding
  }
  console.log(
    `  beside a flood of ${flood}: ${(median(beside) / median(own)).toFixed(2)} times the latency without it ` +
      `(median ${Math.round(median(beside))} ms, alone ${Math.round(median(own))} ms)`,
  )
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
