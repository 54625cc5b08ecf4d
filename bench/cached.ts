// Cached responses of the executable beside bare Elysia routes with the same JSON, in turns, by wrk.
import { join } from 'node:path'

import { cpuMsOf, median, percentile } from './figures.ts'
import { paced } from './paced.ts'
import { startScript } from './servers.ts'

/** Short and many, so that whatever else the machine does falls on both. */
const ROUNDS = 9
const ROUND_SECONDS = 2
/** Until the compilers have done their work. */
const WARM_UP_SECONDS = 4
const PACED_SECONDS = 5
const CONNECTIONS = 64

/** A server, and how it is asked for one cached response. */
interface Server {
  pid: number
  url: string
  headers: Record<string, string>
}

/** What one server did in one round. */
interface Round {
  perSecond: number
  /** Of the server's process, in microseconds: what can be compared when others use the machine too. */
  cpuPerResponse: number
}

/** `dir` receives the response's JSON and headers, which the bare routes send too. */
export async function measureCached(service: Server, dir: string) {
  const { url, headers } = service
  await (await fetch(url, { headers })).arrayBuffer()
  const answer = await fetch(url, { headers })
  if (answer.headers.get('x-cache') !== 'HIT') throw new Error('the answer is not cached')
  const files = [join(dir, 'response.json'), join(dir, 'headers.json')] as const
  const { date: _, 'content-length': __, ...sentHeaders } = Object.fromEntries(answer.headers)
  await Promise.all([Bun.write(files[0], await answer.text()), Bun.write(files[1], JSON.stringify(sentHeaders))])
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

  const perSecond = Math.round(of((r) => r.service.perSecond) / 2)
  const options = { url, headers, perSecond, seconds: PACED_SECONDS, connections: CONNECTIONS }
  const { times, failures } = await paced(options)
  const at = (percent: number) => percentile(times, percent).toFixed(1)
  console.log(`  at ${perSecond}/s, half of the peak: p50 ${at(50)} ms, p99 ${at(99)} ms, ${failures} failures`)
}

async function load({ url, headers, pid }: Server, seconds: number): Promise<Round> {
  const asked = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const before = cpuMsOf(pid)
  const child = Bun.spawn(['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...asked, url], { stdout: 'pipe' })
  const report = await child.stdout.text()
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(report)
  const responses = Number(/(\d+) requests in/.exec(report)![1])
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)![1]),
    cpuPerResponse: ((cpuMsOf(pid) - before) / responses) * 1_000,
  }
}
