// Compares cached responses of the executable with bare Elysia routes that send the same JSON, alternating, with wrk.
import { join } from 'node:path'

import { cpuMsOf, median, percentile } from './statistics.ts'
import { paced } from './paced.ts'
import { startScript } from './servers.ts'

/** Many short rounds, so that other load on the machine affects all servers equally. */
const ROUNDS = 9
const ROUND_SECONDS = 2
/** Long enough for the JIT compilers to finish. */
const WARM_UP_SECONDS = 4
const PACED_ROUNDS = 5
const PACED_SECONDS = 4
const CONNECTIONS = 64
const CACHE_ATTEMPTS = 100

/** A server and the request for one cached response. */
export interface Server {
  pid: number
  url: string
  headers: Record<string, string>
}

/** The result of one server in one round. */
export interface Round {
  perSecond: number
  /** CPU time of the server's process in microseconds; comparable even when the machine is shared. */
  cpuPerResponse: number
}

/** Writes the JSON and headers of a cached response to `dir`, from where the bare routes send them. */
export async function measureCached(service: Server, dir: string) {
  const { url, headers } = service
  const response = await waitForHit(service)
  const files = [join(dir, 'response.json'), join(dir, 'headers.json')] as const
  const { date: _, 'content-length': __, ...sentHeaders } = Object.fromEntries(response.headers)
  await Promise.all([Bun.write(files[0], await response.text()), Bun.write(files[1], JSON.stringify(sentHeaders))])
  await using bareRoutes = await startScript('bare-route.ts', files)
  const bare = { pid: bareRoutes.pid, url: url.replace(new URL(url).origin, bareRoutes.base), headers }
  const withHeaders = { ...bare, url: bare.url.replace('/v1/metadata', '/with-headers') }
  for (const server of [bare, withHeaders, service]) await load(server, WARM_UP_SECONDS)
  const rounds: Record<'bare' | 'withHeaders' | 'service', Round>[] = []
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push({
      bare: await load(bare, ROUND_SECONDS),
      withHeaders: await load(withHeaders, ROUND_SECONDS),
      service: await load(service, ROUND_SECONDS),
    })
  }
  const of = (read: (round: (typeof rounds)[number]) => number) => median(rounds.map(read))
  console.log(`cached responses, medians of ${ROUNDS} rounds with ${CONNECTIONS} connections; CPU time of the server:`)
  const row = (name: string, read: (round: (typeof rounds)[number]) => Round) =>
    console.log(
      `  ${name}: ${of((r) => read(r).perSecond).toFixed(0)}/s, ${of((r) => read(r).cpuPerResponse).toFixed(1)} µs; ` +
        `the service at ${of((r) => r.service.perSecond / read(r).perSecond).toFixed(2)} of its rate, ` +
        `${of((r) => read(r).cpuPerResponse / r.service.cpuPerResponse).toFixed(2)} by CPU time`,
    )
  row('bare route', (r) => r.bare)
  row('bare route with the same headers, at the end of the turn', (r) => r.withHeaders)
  row('service', (r) => r.service)

  await comparePaced({ 'bare route': bare, service }, Math.round(of((r) => r.service.perSecond) / 2))
}

/**
 * Compares latencies at the same rate, alternating. The bare route shows how much of the latency comes from the client
 * and the machine.
 */
async function comparePaced(servers: Record<string, Server>, perSecond: number) {
  const results = Object.entries(servers).map(([name, server]) => ({
    name,
    server,
    p50: [] as number[],
    p99: [] as number[],
    failures: 0,
  }))
  for (let i = 0; i < PACED_ROUNDS; i++) {
    for (const result of results) {
      const { url, headers } = result.server
      const options = { url, headers, perSecond, seconds: PACED_SECONDS, connections: CONNECTIONS }
      const { times, failures } = await paced(options)
      result.p50.push(percentile(times, 50))
      result.p99.push(percentile(times, 99))
      result.failures += failures
    }
  }
  console.log(`at ${perSecond}/s, half of the peak, medians of ${PACED_ROUNDS} rounds:`)
  for (const { name, p50, p99, failures } of results) {
    console.log(`  ${name}: p50 ${median(p50).toFixed(1)} ms, p99 ${median(p99).toFixed(1)} ms, ${failures} failures`)
  }
}

/** Requests the URL until its response is cached, which it is soon after the first one; returns the cached response. */
export async function waitForHit({ url, headers }: Server): Promise<Response> {
  for (let n = 0; n < CACHE_ATTEMPTS; n++) {
    const response = await fetch(url, { headers })
    if (response.headers.get('x-cache') === 'HIT') return response
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
    await Bun.sleep(10)
  }
  throw new Error('the response is not cached')
}

export async function load({ url, headers, pid }: Server, seconds: number): Promise<Round> {
  const options = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const before = cpuMsOf(pid)
  const child = Bun.spawn(['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...options, url], { stdout: 'pipe' })
  const report = await child.stdout.text()
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(report)
  const responses = Number(/(\d+) requests in/.exec(report)![1])
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)![1]),
    cpuPerResponse: ((cpuMsOf(pid) - before) / responses) * 1_000,
  }
}
