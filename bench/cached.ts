// Cached answers of the executable beside a bare Elysia route with the same JSON, in turns, by wrk.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { paced } from './paced.ts'

/** Short and many, so that whatever else the machine does falls on both. */
const ROUNDS = 9
const ROUND_SECONDS = 2
/** Until the compilers have done their work. */
const WARM_UP_SECONDS = 4
const PACED_SECONDS = 5
const CONNECTIONS = 64

/** A server, and how it is asked for one cached answer. */
export interface Server {
  pid: number
  url: string
  headers: Record<string, string>
}

/** What one server did in one round. */
export interface Round {
  perSecond: number
  /** Of the server's process, in microseconds: what can be compared when others use the machine too. */
  cpuPerAnswer: number
}

/** `dir` takes the answer's JSON, which the bare route sends too. */
export async function measureCached(service: Server, dir: string) {
  const { url, headers } = service
  await (await fetch(url, { headers })).arrayBuffer()
  const answer = await fetch(url, { headers })
  if (answer.headers.get('x-cache') !== 'HIT') throw new Error('the answer is not cached')
  const json = join(dir, 'answer.json')
  await Bun.write(json, await answer.text())
  const bare = await startBareRoute(json, service)
  try {
    for (const server of [bare.server, service]) await load(server, WARM_UP_SECONDS)
    const rounds: { bare: Round; service: Round }[] = []
    for (let i = 0; i < ROUNDS; i++) {
      rounds.push({ bare: await load(bare.server, ROUND_SECONDS), service: await load(service, ROUND_SECONDS) })
    }
    const of = (read: (round: (typeof rounds)[number]) => number) => median(rounds.map(read))
    console.log(`cached answers, medians of ${ROUNDS} rounds with ${CONNECTIONS} connections:`)
    console.log(`  bare route: ${of((r) => r.bare.perSecond).toFixed(0)}/s`)
    console.log(`  service: ${of((r) => r.service.perSecond).toFixed(0)}/s`)
    console.log(`  ratio: ${of((r) => r.service.perSecond / r.bare.perSecond).toFixed(2)}`)
    const cpu = [of((r) => r.bare.cpuPerAnswer), of((r) => r.service.cpuPerAnswer)] as const
    console.log(`  CPU per answer: ${cpu.map((us) => `${us.toFixed(1)} µs`).join(' and ')}`)
    console.log(`  ratio: ${of((r) => r.bare.cpuPerAnswer / r.service.cpuPerAnswer).toFixed(2)}`)

    const perSecond = Math.round(of((r) => r.service.perSecond) / 2)
    const options = { url, headers, perSecond, seconds: PACED_SECONDS, connections: CONNECTIONS }
    const { times, failures } = await paced(options)
    const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1)
    console.log(`  at ${perSecond}/s, half of the peak: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${failures} failures`)
  } finally {
    bare.stop()
  }
}

export async function load({ url, headers, pid }: Server, seconds: number): Promise<Round> {
  const asked = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const before = cpuSeconds(pid)
  const child = Bun.spawn(['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...asked, url], { stdout: 'pipe' })
  const report = await child.stdout.text()
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(report)
  const answers = Number(/(\d+) requests in/.exec(report)![1])
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)![1]),
    cpuPerAnswer: ((cpuSeconds(pid) - before) / answers) * 1e6,
  }
}

/** User and system time of a process: fields 14 and 15 of proc(5)'s stat, in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function startBareRoute(json: string, { url, headers }: Server) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'bare-route.ts'), json], { stdout: 'pipe' })
  for await (const chunk of child.stdout) {
    const base = /listens on (\S+)/.exec(new TextDecoder().decode(chunk))?.[1]
    if (base === undefined) continue
    const { pathname, search } = new URL(url)
    return { server: { pid: child.pid, url: base + pathname + search, headers }, stop: () => child.kill() }
  }
  throw new Error('the bare route did not start')
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}
