// Runs the executable for hours, in pieces, under a mix of requests: cached and uncached saved pages, formats of other services,
// cards, images, rendered and hostile pages. Each piece appends what it measured to a file, and the next one continues with the
// same data, so that the database grows as in life. Prints whether memory and open files stayed as they were after 20 minutes,
// whether the successful responses were charged, and the warnings of the log.
// usage: bun bench/main.ts soak [--minutes 25] [--workers N] [--rate PER_SECOND] [--state FILE] [--pages DIR]… [--verdict]
//   (after `bun run build`; Linux, with `unshare` and `ip`; the data are in FILE.data; SIGTERM ends a piece early)
import { Database } from 'bun:sqlite'
import { createReadStream, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

import { HOSTILE } from '../test/origin/hostile.ts'
import { startFetchOrigin } from './hostile-fetches.ts'
import { entersOwnNetwork, openSiteNames } from './own-network.ts'
import { createInstallation, type Installation } from './servers.ts'
import { createRequests, type Kind, PERCENT, randomKind, type Requests } from './soak-requests.ts'
import { openSites } from './example-sites.ts'
import { appendLine, readLines, verdictOf } from './soak-state.ts'
import { median, residentMegabytes } from './statistics.ts'

const CONCURRENCY = 8
const MINUTE_MS = 60_000
const SAMPLE_MS = 1_000
/** The ports of the hostile servers are the same in every piece. */
const HOSTILE_PORT = 9_000
/** The responses to these differ by the hostile page. Some saved pages fail too: error pages, and redirects to other sites. */
const isHostile = (kind: Kind) => kind === 'hostile' || kind === 'hostileScript'

export async function run(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '25' },
      workers: { type: 'string' },
      rate: { type: 'string', default: 'Infinity' },
      state: { type: 'string', default: join(tmpdir(), `urlmeta-soak-${process.pid}`) },
      pages: { type: 'string', multiple: true, default: [] },
      verdict: { type: 'boolean', default: false },
    },
  })
  if (!values.verdict && !(await entersOwnNetwork())) return
  if (!values.verdict) await runPiece(values)
  const { lines, isGood } = verdictOf(readLines(values.state))
  console.log(lines.join('\n'))
  if (!isGood) process.exitCode = 1
}

interface Options {
  minutes: string
  workers?: string | undefined
  rate: string
  state: string
  pages: string[]
}

async function runPiece({ minutes, workers, rate, state, pages }: Options) {
  const piece = readLines(state).filter(({ type }) => type === 'start').length + 1
  await using hostile = await startFetchOrigin(HOSTILE_PORT)
  await using names = await openSiteNames()
  using sites = openSites(pages, hostile.ports.canary)
  const env = {
    URLMETA_ALLOW_PRIVATE_HOSTS: '',
    URLMETA_BASE_URL: 'https://meta.example',
    URLMETA_DNS_SERVERS: names.address,
    URLMETA_IMAGE_PROXY: 'on',
    URLMETA_PLAN_FREE_KEYS: '10000',
    // So that each card can have a visitor of its own, as behind a reverse proxy.
    URLMETA_TRUSTED_PROXIES: '127.0.0.1',
    ...(workers !== undefined && { URLMETA_WORKERS: workers }),
  }
  using installation = createInstallation(0, env, `${state}.data`)
  const chargedBefore = chargedIn(installation)
  const options = { minutes, workers, rate, pages: sites.savedPages, hostile: HOSTILE.length, percent: PERCENT }
  const at = new Date().toISOString()
  appendLine(state, { type: 'start', piece, at, version: installation.command('version').trim(), options })

  await using server = await installation.start()
  const requests = await createRequests(installation, server.base, sites.savedPages, hostile.ports, at)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  const counts = { requests: 0, answered: requests.charged, failures: new Map<string, number>() }
  const clients = keepBusy(requests, Number(rate), stop.signal, counts)
  for (let minute = 1; minute <= Number(minutes) && !stop.signal.aborted; minute++) {
    const before = counts.requests
    const samples = await sampleMinute(server.pid, stop.signal)
    appendLine(state, { type: 'minute', piece, minute, requests: counts.requests - before, ...samples })
  }
  stop.abort()
  await clients

  const exitCode = await server.stop()
  const forbiddenConnections = Number(await hostile.canaryConnections())
  appendLine(state, {
    type: 'end',
    piece,
    answered: counts.answered,
    charged: chargedIn(installation) - chargedBefore,
    exitCode,
    forbiddenConnections,
    leftProcesses: otherProcesses().filter((name) => !name.startsWith(process.execPath)),
    databaseMegabytes: sizeOf(join(installation.dir, 'data')),
    failures: Object.fromEntries(counts.failures),
    ...(await readLog(join(installation.dir, 'log-1'))),
  })
  rmSync(join(installation.dir, 'log-1'))
}

interface Counts {
  requests: number
  /** Successful responses that are charged. */
  answered: number
  failures: Map<string, number>
}

/** Sends requests until the signal, at most `rate` per second. */
async function keepBusy({ send }: Requests, rate: number, stop: AbortSignal, counts: Counts) {
  const startedAt = performance.now()
  let sent = 0
  const client = async () => {
    while (!stop.aborted) {
      const waitMs = startedAt + (sent++ * 1_000) / rate - performance.now()
      if (waitMs > 0) await Bun.sleep(waitMs)
      const kind = randomKind()
      const response = await send[kind]()
      const text = kind === 'image' ? (await response.arrayBuffer(), '') : await response.text()
      counts.requests++
      if (response.ok) {
        if (kind !== 'image') counts.answered++
        continue
      }
      const failure = `${kind} ${response.status}`
      add(counts.failures, response.status === 502 && isHostile(kind) ? failure : `${failure} ${text.slice(0, 100)}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, client))
}

/** Medians of a minute, which ends early with the signal. */
async function sampleMinute(pid: number, stop: AbortSignal) {
  const samples: { megabytes: number; descriptors: number }[] = []
  const endsAt = performance.now() + MINUTE_MS
  while (performance.now() < endsAt && !stop.aborted) {
    samples.push({ megabytes: residentMegabytes(pid), descriptors: readdirSync(`/proc/${pid}/fd`).length })
    await Bun.sleep(SAMPLE_MS)
  }
  const medianOf = (name: 'megabytes' | 'descriptors') => median(samples.map((sample) => sample[name]))
  return { megabytes: medianOf('megabytes'), descriptors: medianOf('descriptors') }
}

function chargedIn({ dir }: Installation): number {
  using database = new Database(join(dir, 'data/urlmeta.db'), { readonly: true })
  return database.query<{ used: number }, []>('SELECT coalesce(sum(used), 0) AS used FROM monthly_usage').get()!.used
}

function sizeOf(dir: string): number {
  const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
  return Math.round(bytes / 1_048_576)
}

/** The command lines of other processes in the network of this one. */
function otherProcesses(): string[] {
  const network = readlinkSync('/proc/self/ns/net')
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
    try {
      if (readlinkSync(`/proc/${pid}/ns/net`) !== network) return []
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 100)].filter(
        (line) => line !== '',
      )
    } catch {
      // The process has exited.
      return []
    }
  })
}

/** The number of rendered pages, and the lines above info by level, message and cause. */
async function readLog(path: string) {
  const warnings = new Map<string, number>()
  let rendered = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line.includes('"fetchMethod":"headless"')) rendered++
    if (line.startsWith('{"level":"info"')) continue
    const { level, msg, err, reason, detail } = JSON.parse(line) as Record<string, string> & {
      err?: { message: string }
    }
    add(warnings, [level, msg, err?.message ?? reason ?? detail].filter((part) => part !== undefined).join(': '))
  }
  return { rendered, warnings: Object.fromEntries(warnings) }
}

const add = (counts: Map<string, number>, kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1)
