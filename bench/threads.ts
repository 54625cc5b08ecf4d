// CPU time and memory of an uncached response, with different numbers of threads that read pages.
// usage: bun bench/main.ts threads [--pages DIR]      (after `bun run build`)
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { measure, type MeasuredServer, startUrlmeta } from './fresh.ts'
import { startScript } from './servers.ts'
import { cpuTimesOf, residentMegabytes, watchPeak } from './statistics.ts'

const WORKERS = [0, 1, 3]
const CONCURRENCY = 32
const WARM_UP_MS = 15_000
const MEASURED_MS = 5_000
const IDLE_MS = 15_000
/** After the server has listened: until its threads have started. */
const START_MS = 3_000
/** Pages are at so many addresses, because all pages of a host are read by one thread. */
const HOSTS = 8

/** CPU time of one response in milliseconds. */
export interface ThreadTimes {
  all: number
  main: number
  /** The busiest other thread that runs JavaScript; about 0 if the main thread reads the pages. */
  reader: number
}

export async function run(args: string[]) {
  const { values } = parseArgs({ args, options: { pages: { type: 'string' } } })
  await using origin = await startScript('page-origin.ts', values.pages === undefined ? [] : [values.pages])
  const pageUrl = pageUrls(new URL(origin.base).port)
  for (const workers of WORKERS) {
    await using stack = new AsyncDisposableStack()
    const server = await startWithWorkers(stack, workers)
    await Bun.sleep(START_MS)
    const atStart = residentMegabytes(server.pid)
    const peakOf = watchPeak(server.pid)
    const { all, main, reader } = await measureThreads(server, pageUrl, WARM_UP_MS, MEASURED_MS)
    const peak = peakOf()
    await Bun.sleep(IDLE_MS)
    const times = `${all.toFixed(2)} ms in all, main thread ${main.toFixed(2)} ms, busiest reader ${reader.toFixed(2)} ms`
    const memory = `${atStart} MB at the start, ${peak} MB at the peak, ${residentMegabytes(server.pid)} MB later`
    console.log(`URLMETA_WORKERS=${workers}: ${times}; ${memory}`)
  }
}

/** URLs of pages that were not requested before. */
export function pageUrls(originPort: string): () => string {
  let page = 0
  return () => `http://127.0.0.${1 + (page % HOSTS)}:${originPort}/page${page++}`
}

/** Starts the executable, which may fetch from all these addresses, with this number of threads that read pages. */
export const startWithWorkers = (stack: AsyncDisposableStack, workers: number): Promise<MeasuredServer> =>
  startUrlmeta(stack, 0, { URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.0/8', URLMETA_WORKERS: String(workers) })

/** Measures once for `measuredMs`, after a warm-up. */
export async function measureThreads(
  server: MeasuredServer,
  pageUrl: () => string,
  warmUpMs: number,
  measuredMs: number,
): Promise<ThreadTimes> {
  await measure(server, pageUrl, warmUpMs, CONCURRENCY)
  const before = new Map(threadsOf(server.pid).map(({ id, ms }) => [id, ms]))
  const { cpuMs: all } = await measure(server, pageUrl, measuredMs, CONCURRENCY)
  const used = threadsOf(server.pid).map(({ id, name, ms }) => ({ id, name, ms: ms - (before.get(id) ?? 0) }))
  const sum = used.reduce((total, { ms }) => total + ms, 0)
  const perResponse = (ms: number) => (all * ms) / sum
  return {
    all,
    main: perResponse(used.find(({ id }) => id === String(server.pid))!.ms),
    reader: perResponse(Math.max(...used.map(({ name, ms }) => (name === 'Worker' ? ms : 0)))),
  }
}

function threadsOf(pid: number): { id: string; name: string; ms: number }[] {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).map((id) => {
    const [user, system] = cpuTimesOf(`${tasks}/${id}/stat`)
    return { id, name: readFileSync(`${tasks}/${id}/comm`, 'utf8').trim(), ms: user + system }
  })
}
