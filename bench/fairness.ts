// Fairness between users: how much of all slots a single user gets, and how long a user waits while another one floods the
// service; for fetches and, if Chromium is installed, for rendered pages. Both sides of a comparison alternate in one run.
// usage: bun bench/main.ts fairness [rounds]
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

const TIMEOUT_MS = 60_000
const CONCURRENT_FETCHES = 32
const CONCURRENT_PAGES = 4

/** Requests of the flooding user, running or waiting, per slot. */
const FLOOD_PER_SLOT = 8

/** Sequential requests of the other user per round. */
const MODEST_REQUESTS = 8

/** One request of a user; rejects when it fails. */
type Send = (user: string) => Promise<void>

export async function run([rounds = '5']: string[]) {
  // A round of fetches takes one or two seconds; a round of rendered pages takes ten.
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
  console.log(
    `  during a flood of ${flood}: ${(median(during) / median(without)).toFixed(2)} times the latency without it ` +
      `(median ${Math.round(median(during))} ms, without ${Math.round(median(without))} ms)`,
  )
}
