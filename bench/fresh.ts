// Compares uncached responses of the executable with a bare Bun server that only fetches the page, and with peers behind
// node:http, alternating, on the same pages. On shared cores, the CPU time per response varies less than the rate.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { cpuMsOf, median } from './statistics.ts'
import { createInstallation, startScript } from './servers.ts'

const PEERS = ['unfurl.js', 'url-metadata', 'open-graph-scraper', 'node-html-parser']
const CONCURRENCY = 16
const ROUND_MS = 3_000
/** Not measured, because JavaScriptCore discards the compiled code of a server that was idle during the other rounds. */
const WARM_UP_MS = 1_500
/** The longest allowed: on a busy machine, the default would end the benchmark. */
const TIMEOUT_MS = 15_000

/** One server of the comparison. */
export interface MeasuredServer {
  name: string
  pid: number
  request(pageUrl: string): Promise<Response>
  /** Per round: responses per second, and CPU milliseconds per response. */
  rounds: { rate: number; cpuMs: number }[]
}

export async function compareFresh(pagesDir: string | undefined, rounds: number) {
  await using stack = new AsyncDisposableStack()
  const origin = stack.use(await startScript('page-origin.ts', pagesDir === undefined ? [] : [pagesDir]))
  const hasPeers = existsSync(join(import.meta.dir, 'peers/node_modules'))
  if (!hasPeers) console.log('peers are not installed: run `bun install` in bench/peers')
  const names = ['bare', ...(hasPeers ? PEERS : [])]
  const servers = [await startUrlmeta(stack, Number(new URL(origin.base).port))]
  for (const name of names) servers.push(await startPeerServer(stack, name))

  let page = 0
  const pageUrl = () => `${origin.base}/page${page++}`
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const server of servers) {
      await measure(server, pageUrl, WARM_UP_MS)
      const measured = await measure(server, pageUrl, ROUND_MS)
      if (round > 0) server.rounds.push(measured)
    }
  }
  print(servers, rounds)
}

export async function measure(
  { pid, request }: MeasuredServer,
  pageUrl: () => string,
  durationMs: number,
  concurrency = CONCURRENCY,
) {
  const cpuBefore = cpuMsOf(pid)
  const startedAt = performance.now()
  let responses = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() - startedAt < durationMs) {
        const response = await request(pageUrl())
        const body = await response.text()
        if (response.status !== 200) throw new Error(`${response.status}: ${body}`)
        responses++
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  return { rate: responses / seconds, cpuMs: (cpuMsOf(pid) - cpuBefore) / responses }
}

function print(servers: readonly MeasuredServer[], rounds: number) {
  const of = (name: string) => servers.find((one) => one.name === name)!
  const rate = (one: MeasuredServer) => median(one.rounds.map((round) => round.rate))
  const cpuMs = (one: MeasuredServer) => median(one.rounds.map((round) => round.cpuMs))
  const ours = of('urlmeta')
  console.log(`\nuncached responses, ${CONCURRENCY} concurrent, median of ${rounds} rounds; urlmeta against each:`)
  for (const one of servers) {
    const ratios = one === ours ? '' : `rate ${ratio(rate(ours), rate(one))}, CPU ${ratio(cpuMs(one), cpuMs(ours))}`
    const figures = `${rate(one).toFixed(0).padStart(6)}/s ${cpuMs(one).toFixed(2).padStart(7)} ms CPU each`
    console.log(`${one.name.padEnd(20)}${figures}   ${ratios}`)
  }
}

function ratio(a: number, b: number): string {
  return (a / b).toFixed(a < b ? 2 : 1)
}

/** Starts the executable, which may fetch from this port of the machine, or from those that the environment allows. */
export async function startUrlmeta(
  stack: AsyncDisposableStack,
  originPort: number,
  env: Readonly<Record<string, string>> = {},
): Promise<MeasuredServer> {
  const installation = stack.use(createInstallation(originPort, env))
  const { pid, base } = stack.use(await installation.start())
  const headers = { 'x-api-key': installation.key }
  const request = (url: string) =>
    fetch(`${base}/v1/metadata?url=${encodeURIComponent(url)}&timeout=${TIMEOUT_MS}`, { headers })
  return { name: 'urlmeta', pid, request, rounds: [] }
}

export async function startPeerServer(stack: AsyncDisposableStack, name: string): Promise<MeasuredServer> {
  const { pid, base } = stack.use(await startScript('peer-server.ts', [name]))
  const request = (url: string) => fetch(`${base}/?url=${encodeURIComponent(url)}`)
  return { name, pid, request, rounds: [] }
}
