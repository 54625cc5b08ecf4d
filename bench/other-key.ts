// What a flood by one key does to the others, for bench/goals.ts: the latency of cached responses, and the longest stall of the
// main thread, also when the disk takes a second for each sync.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { createInstallation, type Server, startScript } from './servers.ts'
import { percentile, timed } from './statistics.ts'

const ROUNDS = 5
const WARM_UP_MS = 3_000
const MEASURED_MS = 3_000
/** The pause between two requests for the cached result. */
const PAUSE_MS = 2
/** How often the longest stall is read. */
const WINDOW_MS = 250

const SYNC_SECONDS = 1
const SYNCS = 3
const SYNC_DEADLINE_MS = 60_000

/** The longest delay of a timer of the main thread, and how long the thread waited for a processor around it. Milliseconds. */
export interface LongestStall {
  stallMs: number
  waitedMs: number
}

/** Starts floods of requests for a page, by a key of a server. */
async function startFlooder(stack: AsyncDisposableStack) {
  const { base } = stack.use(await startScript('key-flood.ts', []))
  return {
    base,
    port: Number(new URL(base).port),
    async start(server: Server, key: string, page: 'hostile' | 'small') {
      await fetch(`${base}/start?${new URLSearchParams({ server: server.base, key, page }).toString()}`)
      return { [Symbol.asyncDispose]: async () => void (await fetch(`${base}/stop`)) }
    },
  }
}

/**
 * The p99 of cached responses for a key: without other load, while another key of the same server requests hostile pages of
 * 2 MB, and while such a flood goes to another server on the same machine.
 */
export async function measureOtherKey() {
  await using stack = new AsyncDisposableStack()
  const flooder = await startFlooder(stack)
  const installations = [1, 2].map(() => stack.use(createInstallation(flooder.port)))
  const [ours, elsewhere] = installations as [(typeof installations)[0], (typeof installations)[0]]
  const server = stack.use(await ours.start())
  const other = stack.use(await elsewhere.start())
  const headers = { 'x-api-key': ours.createKey('other@example.com') }
  const url = `${server.base}/v1/metadata?url=${encodeURIComponent(`${flooder.base}/small`)}`
  const cached = async () => void (await (await fetch(url, { headers })).arrayBuffer())
  const floods = {
    without: () => null,
    elsewhere: () => flooder.start(other, elsewhere.key, 'hostile'),
    during: () => flooder.start(server, ours.key, 'hostile'),
  }
  const times = { without: [] as number[], elsewhere: [] as number[], during: [] as number[] }
  let longest: LongestStall = { stallMs: 0, waitedMs: 0 }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of ['without', 'elsewhere', 'during'] as const) {
      await using _ = await floods[kind]()
      await latenciesOf(cached, round === 0 ? WARM_UP_MS : WINDOW_MS)
      // The first round is a warm-up.
      if (round === 0) continue
      await using stalls = await watchStalls(server)
      times[kind].push(...(await latenciesOf(cached, MEASURED_MS)))
      if (kind === 'during') longest = longer(longest, stalls.longest())
    }
  }
  for (const [kind, values] of Object.entries(times)) {
    const shown = [50, 90, 99].map((percent) => `p${percent} ${percentile(values, percent).toFixed(1)} ms`)
    console.log(`cached, flood: ${kind}: ${shown.join(', ')}`)
  }
  const p99 = (kind: keyof typeof times) => percentile(times[kind], 99)
  return { withoutP99: p99('without'), elsewhereP99: p99('elsewhere'), duringP99: p99('during'), longest }
}

/**
 * The longest stall while new results are stored and each sync of a file takes a second; null if strace is not installed.
 * @throws if nothing was synced
 */
export async function measureSlowDisk(): Promise<LongestStall | null> {
  if (Bun.which('strace') === null) return null
  await using stack = new AsyncDisposableStack()
  const flooder = await startFlooder(stack)
  const installation = stack.use(createInstallation(flooder.port))
  const calls = join(installation.dir, 'syncs')
  const syncs = 'fsync,fdatasync'
  const effect = `inject=${syncs}:delay_exit=${SYNC_SECONDS * 1e6}`
  // With --seccomp-bpf, only these system calls are slower. With -D, the traced process is the child.
  const strace = ['strace', '-D', '-f', '--seccomp-bpf', '-o', calls, '-e', `trace=${syncs}`, '-e', effect]
  const server = stack.use(await installation.start(strace))
  const count = () => (existsSync(calls) ? readFileSync(calls, 'utf8').split('DELAYED').length - 1 : 0)
  const atStart = count()
  await using _ = await flooder.start(server, installation.key, 'small')
  await Bun.sleep(WARM_UP_MS)
  await using stalls = await watchStalls(server)
  const endsAt = performance.now() + SYNC_DEADLINE_MS
  while (count() - atStart < SYNCS && performance.now() < endsAt) await Bun.sleep(WINDOW_MS)
  console.log(`slow disk: ${count() - atStart} syncs of ${SYNC_SECONDS} s`)
  if (count() === atStart) throw new Error('no file was synced')
  return stalls.longest()
}

/** Reads the longest stall of each window until disposed. */
async function watchStalls({ base, pid }: Server) {
  let longest: LongestStall = { stallMs: 0, waitedMs: 0 }
  let waitedMs = waitedForProcessorMs(pid)
  const read = async () => {
    // Resets the metric, so that it is the longest delay since the last read.
    const metrics = await (await fetch(`${base}/metrics`)).text()
    const stallMs = Number(/^nodejs_eventloop_lag_max_seconds (.*)$/m.exec(metrics)?.[1]) * 1_000
    const nowMs = waitedForProcessorMs(pid)
    const stall = { stallMs, waitedMs: nowMs - waitedMs }
    waitedMs = nowMs
    return stall
  }
  await read()
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted) {
      await Bun.sleep(WINDOW_MS)
      longest = longer(longest, await read())
    }
  })()
  return {
    longest: () => longest,
    async [Symbol.asyncDispose]() {
      over.abort()
      await reading
    },
  }
}

function longer(a: LongestStall, b: LongestStall): LongestStall {
  return b.stallMs > a.stallMs ? b : a
}

/** How long the main thread of a process was ready to run while other threads and processes had the processors, in milliseconds. */
function waitedForProcessorMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
}

/** Latencies of sequential requests in milliseconds. */
async function latenciesOf(request: () => Promise<void>, durationMs: number): Promise<number[]> {
  const times: number[] = []
  const endsAt = performance.now() + durationMs
  while (performance.now() < endsAt) {
    times.push(await timed(request))
    await Bun.sleep(PAUSE_MS)
  }
  return times
}
