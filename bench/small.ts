// The executable on a small machine: in a control group with little memory, on one core, without and with Chromium. Then a page
// that fills the memory: whether the server survives that the kernel kills the page, or all of Chromium.
// usage: bun bench/main.ts small [--memory 512] [--seconds 15] [--pages DIR]… [--env NAME=VALUE]… [--filling 1]
//   [--only TEXT]
//   (after `bun run build`; Linux, as root, with `unshare`, `ip` and `taskset`)
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

import { findChromium } from '../src/fetch/chromium/executable.ts'
import { openSites } from './example-sites.ts'
import { createMemoryGroup, type MemoryGroup } from './memory-group.ts'
import { entersOwnNetwork, openSiteNames } from './own-network.ts'
import { createInstallation, EXECUTABLE, type Server } from './servers.ts'
import { cpuMsOf, percentile } from './statistics.ts'

/** The core of the server and Chromium. Clients and sites use the others. */
const CORE = '0'
const CACHED_PAGES = 1_000
/** So long that a page is rendered on a busy machine too. */
const TIMEOUT_MS = 15_000
const WARM_UP_MS = 5_000
const CLIENTS = [8, 64]
const TABS = [1, 2]
const FILLING_TIMES = 3
/** Much longer than the deadline of a request. */
const HUNG_MS = 45_000
const STOP_MS = 5_000

/** Chromium's programs are in this directory on Debian and in downloads. The script in `/usr/bin` names it. */
const DEBIAN_CHROMIUM = '/usr/lib/chromium/chromium-headless-shell'

type Send = () => Promise<Response>

/** A running server in its group. */
interface Setup {
  server: Server
  group: MemoryGroup
  /** Requests for metadata of this URL. */
  request(url: string): Promise<Response>
  savedPages: number
}

interface Row {
  name: string
  env: Readonly<Record<string, string>>
  /** Whether the files of the programs are in the cache of another group, so that the kernel has nothing to drop. */
  hasCachedFiles?: boolean
  measure(setup: Setup, ms: number): Promise<string[]>
}

const OFF = { URLMETA_CHROMIUM: 'off' }

function rowsFor(chromium: string | null, filling: number): Row[] {
  const without = CLIENTS.flatMap((clients): Row[] => [
    {
      name: `uncached, ${clients} clients`,
      env: OFF,
      measure: (setup, ms) => load(setup, clients, uncached(setup), ms),
    },
    { name: `cached, ${clients} clients`, env: OFF, measure: (setup, ms) => load(setup, clients, cached(setup), ms) },
  ])
  if (chromium === null) return without
  const env = (tabs: number) => ({ URLMETA_CHROMIUM: chromium, URLMETA_HEADLESS_CONCURRENCY: String(tabs) })
  return [
    ...without,
    ...TABS.map((tabs) => ({
      name: `rendered, ${tabs} at once`,
      env: env(tabs),
      measure: (setup: Setup, ms: number) => load(setup, tabs, rendered(setup), ms),
    })),
    ...TABS.map((tabs) => ({
      name: `uncached, 8 clients, with ${tabs} rendered at once`,
      env: env(tabs),
      async measure(setup: Setup, ms: number) {
        const [figures] = await Promise.all([
          load(setup, 8, uncached(setup), ms),
          load(setup, tabs, rendered(setup), ms),
        ])
        return figures
      },
    })),
    {
      name: `${filling} at once that fill the memory`,
      env: env(filling),
      measure: (setup) => fill(setup, filling, false),
    },
    {
      name: 'page that fills the memory, killed by the kernel',
      env: env(1),
      hasCachedFiles: true,
      measure: (setup) => fill(setup, 1, false),
    },
    {
      name: 'the same, Chromium is killed by the kernel',
      env: env(1),
      hasCachedFiles: true,
      measure: (setup) => fill(setup, 1, true),
    },
  ]
}

export async function run(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      memory: { type: 'string', default: '512' },
      seconds: { type: 'string', default: '15' },
      pages: { type: 'string', multiple: true, default: [] },
      env: { type: 'string', multiple: true, default: [] },
      filling: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
    },
  })
  if (!(await entersOwnNetwork())) return
  const own = Object.fromEntries(values.env.map((text) => text.split(/=(.*)/s, 2) as [string, string]))
  using programs = copyPrograms()
  await using names = await openSiteNames()
  using sites = openSites(values.pages, 1)
  const rules = join(programs.dir, 'rules.json')
  writeFileSync(rules, JSON.stringify([{ hosts: ['*.rendered.example', '*.memory.example'], render: 'always' }]))
  console.log(`${values.memory} MB, one core, ${values.env.join(' ') || 'default settings'}\n`)
  console.log('| Load | Per second | p50 | p99 | CPU each | Failed | Peak | Without files | OOM kills |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const row of rowsFor(programs.chromium, Number(values.filling)).filter(({ name }) =>
    name.includes(values.only),
  )) {
    programs.setCached(row.hasCachedFiles ?? false)
    const env = {
      URLMETA_ALLOW_PRIVATE_HOSTS: '',
      URLMETA_DNS_SERVERS: names.address,
      URLMETA_SITES: rules,
      ...row.env,
      ...own,
    }
    using installation = createInstallation(0, env)
    using group = createMemoryGroup(Number(values.memory))
    await using server = await installation.start(wrapperFor(group, programs.executable))
    const headers = { 'x-api-key': installation.key }
    const request = (url: string) =>
      fetch(`${server.base}/v1/metadata?${new URLSearchParams({ url, timeout: String(TIMEOUT_MS) })}`, { headers })
    const figures = await row.measure(
      { server, group, request, savedPages: sites.savedPages },
      Number(values.seconds) * 1_000,
    )
    const memory = [`${group.peak()} MB`, `${group.peakAnonymous()} MB`, String(group.oomKills())]
    console.log(`| ${[row.name, ...figures, ...memory].join(' | ')} |`)
    // A server without memory does not stop by itself.
    await Promise.race([server.stop(), Bun.sleep(STOP_MS)])
    for (let pids = group.pids(); pids.length > 0; pids = group.pids()) {
      for (const pid of pids) kill(pid)
      await Bun.sleep(100)
    }
  }
}

/** Joins the group, and starts the copied program instead of the one that follows. */
const wrapperFor = ({ members }: MemoryGroup, executable: string) => [
  '/bin/sh',
  '-c',
  `echo $$ > ${members}; exec /usr/bin/taskset --cpu-list ${CORE} ${executable}`,
]

/**
 * Copies the executable and Chromium. The pages of a program's file count for the group that reads them first, so that those of a
 * program that already ran outside of the group would not count.
 */
function copyPrograms() {
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-small-'))
  const found = findChromium()
  const source = found === '/usr/bin/chromium-headless-shell' ? DEBIAN_CHROMIUM : found
  cpSync(EXECUTABLE, join(dir, 'urlmeta'))
  if (source !== null) cpSync(dirname(source), join(dir, 'chromium'), { recursive: true })
  const chromium = source === null ? null : join(dir, 'chromium', basename(source))
  Bun.spawnSync(['sync', '--file-system', dir])
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return {
    dir,
    executable: join(dir, 'urlmeta'),
    chromium,
    /** Reads the files into the cache, for the group of this process, or removes them from it. */
    setCached(isCached: boolean) {
      for (const { parentPath, name } of files) {
        const path = join(parentPath, name)
        Bun.spawnSync(['dd', `if=${path}`, 'of=/dev/null', 'bs=1M', ...(isCached ? [] : ['iflag=nocache', 'count=0'])])
      }
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true }),
  }
}

let next = 0
const uncached =
  ({ request, savedPages }: Setup): Send =>
  () =>
    request(`http://${next++ % savedPages}.saved.example/${next}`)
const cached =
  ({ request, savedPages }: Setup): Send =>
  () =>
    request(`http://${(next++ % CACHED_PAGES) % savedPages}.saved.example/`)
const rendered =
  ({ request, savedPages }: Setup): Send =>
  () =>
    request(`http://${next++ % savedPages}.rendered.example/${next}`)

/** Rate, latency, CPU time and failures of so many clients, after a warm-up. */
async function load({ server }: Setup, clients: number, send: Send, ms: number): Promise<string[]> {
  await measure(clients, send, WARM_UP_MS)
  const cpuBefore = cpuMsOf(server.pid)
  const { times, failed, seconds } = await measure(clients, send, ms)
  const cpuMs = (cpuMsOf(server.pid) - cpuBefore) / times.length
  const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
  return [
    (times.length / seconds).toFixed(times.length / seconds < 10 ? 1 : 0),
    milliseconds(percentile(times, 50)),
    milliseconds(percentile(times, 99)),
    `${cpuMs.toFixed(2)} ms`,
    String(failed),
  ]
}

async function measure(clients: number, send: Send, ms: number) {
  const times: number[] = []
  let failed = 0
  const startedAt = performance.now()
  const client = async () => {
    while (performance.now() < startedAt + ms) {
      const sentAt = performance.now()
      const response = await send()
      await response.arrayBuffer()
      times.push(performance.now() - sentAt)
      if (!response.ok) failed++
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { times, failed, seconds: (performance.now() - startedAt) / 1_000 }
}

/** Requests pages that fill the memory, so many at once, and after them one that does not. */
async function fill({ request, group }: Setup, pages: number, killsBrowser: boolean): Promise<string[]> {
  const outcomes: string[] = []
  const render = async (site: string) => {
    const startedAt = performance.now()
    const hung = setTimeout(() => group.pids().filter(isChromium).forEach(kill), HUNG_MS)
    const response = await request(`http://${next++}.${site}.example/`)
    const { fetch_method: method, error } = (await response.json()) as { fetch_method?: string; error?: string }
    clearTimeout(hung)
    const ms = Math.round(performance.now() - startedAt)
    outcomes.push(`${response.status} ${method ?? error} in ${ms} ms${ms > HUNG_MS ? ' (hung)' : ''}`)
  }
  await render('rendered')
  for (let time = 0; time < FILLING_TIMES; time++) {
    if (killsBrowser) preferBrowser(group)
    await Promise.all(Array.from({ length: pages }, () => render('memory')))
    await render('rendered')
  }
  console.log(`  ${outcomes.join(', ')}`)
  return ['', '', '', '', String(outcomes.filter((outcome) => !/^200.*ms$/.test(outcome)).length)]
}

/** Makes the main process of Chromium the first to be killed. */
function preferBrowser(group: MemoryGroup): void {
  for (const pid of group.pids().filter(isChromium)) {
    const isMain = !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=')
    if (isMain) writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  }
}

/** Whether a process is one of Chromium, and not the shell that started it. */
const isChromium = (pid: number) => /^[^\0]*chromium/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has exited.
  }
}
