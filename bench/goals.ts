// The goals for speed: CPU times beside those of other servers, measured in turns in one run.
// usage: bun bench/main.ts goals [--pages DIR]      (after `bun run build`, and `bun install` in bench/peers, once)
import { parseArgs } from 'node:util'

import { load, startBareRoute, waitForHit } from './cached.ts'
import { compare, readPages } from './extract.ts'
import { measure, startPeerServer } from './fresh.ts'
import { createInstallation, startScript } from './servers.ts'
import { type LongestStall, measureOtherKey, measureSlowDisk } from './other-key.ts'
import { median, residentMegabytes, watchPeak } from './statistics.ts'
import { measureThreads, pageUrls, startWithWorkers } from './threads.ts'

const ROUNDS = 5
const CACHED_SECONDS = 2
const UNCACHED_MS = 3_000
/**
 * Until nothing more is compiled: the last functions of a reader are compiled after about 20,000 pages. A share of 15 % of the
 * CPU time after 5 s, and of 1 % after 40 s, is the compiler's.
 */
const WARM_UP_MS = 30_000
const THREADS_WARM_UP_MS = 4_000
const MANY_URLS = 10_000
const CONCURRENCY = 32
const IDLE_MS = 30_000

/** The ratio is the median of the rounds' ratios. Rates are per second and core: one second divided by the CPU time. */
type Row = [what: string, measured: string, beside: string, ratio: string, goal: string]

export async function run(args: string[]) {
  const { values } = parseArgs({ args, options: { pages: { type: 'string' } } })
  const rows: Row[] = []
  await using origin = await startScript('page-origin.ts', values.pages === undefined ? [] : [values.pages])
  const { port } = new URL(origin.base)
  const pageUrl = pageUrls(port)
  rows.push(...(await measureCached(port)))
  rows.push(...(await measureUncached(pageUrl)))
  rows.push(await measureBusiestThread(pageUrl))
  rows.push(...(await measureStalls()))
  if (values.pages !== undefined) {
    const { ours, fastest } = await compare(readPages(values.pages), ROUNDS)
    const [rate, peer] = [ours, fastest].map((value) => `${value.toFixed(0)} pages/s`)
    rows.push(['extraction, beside the fastest library', rate!, peer!, (ours / fastest).toFixed(0), '31'])
  }
  console.log('\n| What | Measured | Beside | Ratio | Goal |\n| --- | --- | --- | --- | --- |')
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
}

async function measureCached(port: string): Promise<Row[]> {
  using installation = createInstallation(Number(port))
  const headers = { 'x-api-key': installation.key }
  await using server = await installation.start()
  const urls = Array.from(
    { length: MANY_URLS },
    (_, n) => `${server.base}/v1/metadata?url=${encodeURIComponent(`http://127.0.0.1:${port}/cached${n}`)}`,
  )
  const one = { pid: server.pid, url: urls[0]!, headers }
  let next = 0
  const fill = async () => {
    while (next < urls.length) await (await fetch(urls[next++]!, { headers })).arrayBuffer()
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, fill))
  await using bare = await startBareRoute(await waitForHit(one), installation.dir)
  const peer = { pid: bare.pid, url: `${bare.base}/`, headers }
  const rounds: { base: number; single: number; many: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const { cpuPerResponse: base } = await load(peer, CACHED_SECONDS)
    const { cpuPerResponse: single } = await load(one, CACHED_SECONDS)
    const { cpuPerResponse: many } = await load(one, CACHED_SECONDS, urls)
    console.log(
      `cached: ${single.toFixed(1)} µs, ${MANY_URLS} URLs ${many.toFixed(1)} µs, Elysia ${base.toFixed(1)} µs`,
    )
    // The first round is a warm-up.
    if (round > 0) rounds.push({ base, single, many })
  }
  const time = (name: 'base' | 'single' | 'many') => microseconds(median(rounds.map((round) => round[name])))
  const elysia = median(rounds.map(({ single, base }) => single / base)).toFixed(2)
  const manyToOne = median(rounds.map(({ many, single }) => many / single)).toFixed(2)
  return [
    ['cached, one URL, beside Elysia with the same headers', time('single'), time('base'), elysia, '1.6'],
    ['cached, 10,000 URLs, beside one', time('many'), time('single'), manyToOne, '1.4'],
  ]
}

function microseconds(cpuTime: number): string {
  return `${cpuTime.toFixed(1)} µs, ${(1e6 / cpuTime).toFixed(0)}/s`
}

function milliseconds(cpuTime: number): string {
  return `${cpuTime.toFixed(2)} ms, ${(1e3 / cpuTime).toFixed(0)}/s`
}

async function measureUncached(pageUrl: () => string): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const ours = await startWithWorkers(stack, 1)
  const servers = [ours, await startPeerServer(stack, 'bare'), await startPeerServer(stack, 'unfurl.js')]
  for (const server of servers) await measure(server, pageUrl, WARM_UP_MS, CONCURRENCY)
  const peakOf = watchPeak(ours.pid)
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of servers) server.rounds.push(await measure(server, pageUrl, UNCACHED_MS, CONCURRENCY))
    console.log(
      `uncached: ${servers.map(({ name, rounds }) => `${name} ${rounds.at(-1)!.cpuMs.toFixed(2)} ms`).join(', ')}`,
    )
  }
  const peak = peakOf()
  await Bun.sleep(IDLE_MS)
  const time = (n: number) => milliseconds(median(servers[n]!.rounds.map(({ cpuMs }) => cpuMs)))
  const ratio = (a: number, b: number) =>
    median(servers[a]!.rounds.map(({ cpuMs }, n) => cpuMs / servers[b]!.rounds[n]!.cpuMs)).toFixed(1)
  return [
    ['uncached, beside fetch and drain', time(0), time(1), ratio(0, 1), '8'],
    ['unfurl.js, beside uncached', time(2), time(0), ratio(2, 0), '2.5'],
    ['resident, 32 at once, and 30 s later', `${peak} MB, ${residentMegabytes(ours.pid)} MB`, '', '', '200 MB, 150 MB'],
  ]
}

/** The CPU time of the main thread or of the busiest reader, as a part of the CPU time of all threads. */
async function measureBusiestThread(pageUrl: () => string): Promise<Row> {
  await using stack = new AsyncDisposableStack()
  const server = await startWithWorkers(stack, 3)
  const { all, main, reader } = await measureThreads(server, pageUrl, THREADS_WARM_UP_MS, UNCACHED_MS)
  const busiest = Math.max(main, reader)
  return [
    'the busiest thread, uncached, 3 workers, beside all',
    `${busiest.toFixed(2)} ms`,
    `${all.toFixed(2)} ms`,
    (busiest / all).toFixed(2),
    '0.3',
  ]
}

async function measureStalls(): Promise<Row[]> {
  const { withoutP99, elsewhereP99, duringP99, longest } = await measureOtherKey()
  const slowDisk = await measureSlowDisk()
  const beside = (p99: number): [string, string, string] => [
    `${duringP99.toFixed(1)} ms`,
    `${p99.toFixed(1)} ms`,
    (duringP99 / p99).toFixed(1),
  ]
  return [
    ['cached p99 of one key during a flood by another, beside without', ...beside(withoutP99), '1.5'],
    ['the same, beside the same flood of another server', ...beside(elsewhereP99), ''],
    ['longest stall of the main thread during it', stallText(longest), '', '', '20 ms'],
    [
      'the same, with syncs of one second',
      slowDisk === null ? 'strace is not installed' : stallText(slowDisk),
      '',
      '',
      '20 ms',
    ],
  ]
}

function stallText({ stallMs, waitedMs }: LongestStall): string {
  return `${stallMs.toFixed(0)} ms (${waitedMs.toFixed(0)} ms waiting for a processor)`
}
