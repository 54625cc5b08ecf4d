// Compares the service's renderer with a bare playwright-core loop, alternating, on the same shells, with two, four and
// eight concurrent pages. Then measures pages that wait, the first page of a cold browser, the memory per page, and the
// processes and files that two hundred hostile pages leave behind.
// usage: bun bench/main.ts headless [rounds] [hostile pages] [Chromium]
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { chromium as playwright, type Browser } from 'playwright-core'

import { parseAllowRule } from '../src/core/net/egress.ts'
import type { Budget } from '../src/core/fetch/ports.ts'
import { findChromium } from '../src/fetch/chromium/executable.ts'
import { createRenderer } from '../src/fetch/chromium/renderer.ts'
import { processesOf } from '../test/fetch/processes.ts'
import { HOSTILE_PAGES } from '../test/origin/hostile-scripts.ts'
import { FRAMEWORKS, openShellSite, type ShellSite } from '../test/shells/shell-site.ts'
import { percentile } from './statistics.ts'
import { settingsOf } from '../test/settings.ts'

const CPUS = availableParallelism()
/** So long that a page is rendered on a busy machine too. */
const TIMEOUT_MS = 60_000
const HOSTILE_TIMEOUT_MS = 3_000

const CONCURRENCY = [2, 4, 8]
const COLD_STARTS = 5

export async function run([rounds = '10', hostilePages = '200', named]: string[]) {
  const executable = named ?? findChromium()
  if (executable === null) throw new Error('no Chromium was found')
  console.log(executable)
  using site = await openShellSite()
  const urls = FRAMEWORKS.flatMap((framework) =>
    (['now', 'fetched'] as const).map((arrival) => site.urlOf(framework, arrival)),
  )
  for (const concurrency of CONCURRENCY) await compare(executable, site, urls, Number(rounds), concurrency)
  await startCold(executable, site)
  await measureMemory(executable, site)
  await renderHostilePages(executable, Number(hostilePages))
}

type Render = (url: string) => Promise<string>

/** Alternates between the two, so that other load on the machine affects both equally. */
async function compare(executable: string, site: ShellSite, urls: string[], rounds: number, concurrency: number) {
  await using renderer = rendererFor(executable, site.port, { concurrency })
  const ours: Render = async (url) => {
    const outcome = await renderer.render(new URL(url), budgetOf(TIMEOUT_MS))
    if ('failure' in outcome) throw new Error(`${url}: ${outcome.failure}`)
    return new TextDecoder().decode(outcome.page.bytes)
  }
  const browser = await playwright.launch({ executablePath: executable, chromiumSandbox: process.getuid?.() !== 0 })
  const bare: Render = (url) => renderBare(browser, url)

  const results = { ours: [] as number[], bare: [] as number[] }
  const spans = { ours: 0, bare: 0 }
  for (const render of [ours, bare]) await timed(render, urls.slice(0, concurrency), [], concurrency)
  for (let round = 0; round < rounds; round++) {
    const turns = [['ours', ours] as const, ['bare', bare] as const]
    for (const [name, render] of round % 2 === 0 ? turns : turns.toReversed()) {
      spans[name] += await timed(render, urls, results[name], concurrency)
    }
  }
  await browser.close()
  // Pages that wait for a timer of one second, which takes no CPU time.
  const waiting = FRAMEWORKS.flatMap((framework) => Array.from({ length: 4 }, () => site.urlOf(framework, 'late')))
  const waited = waiting.length / ((await timed(ours, waiting, [], concurrency)) / 1_000)

  for (const name of ['bare', 'ours'] as const) {
    const perSecond = results[name].length / (spans[name] / 1_000)
    console.log(
      `${name.padEnd(5)} ${perSecond.toFixed(2)} pages/s  p50 ${percentile(results[name], 50).toFixed(0)} ms  ` +
        `p95 ${percentile(results[name], 95).toFixed(0)} ms  (${results[name].length} pages, ${concurrency} concurrent)`,
    )
  }
  const ratioOf = (share: number) => (percentile(results.ours, share) / percentile(results.bare, share)).toFixed(2)
  console.log(
    `ours to bare: pages per second ${(spans.bare / spans.ours).toFixed(2)}, p50 ${ratioOf(50)}, p95 ${ratioOf(95)}; ` +
      `ours with pages that wait ${waited.toFixed(2)} pages/s`,
  )
}

/** Waits for exactly the tag that the page adds: a lower bound that requires knowing the page. */
async function renderBare(browser: Browser, url: string): Promise<string> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(url)
    await page.waitForSelector('meta[property="og:title"]', { state: 'attached' })
    return await page.content()
  } finally {
    await context.close()
  }
}

/** Renders all URLs; returns the total time in milliseconds. */
async function timed(render: Render, urls: string[], durations: number[], concurrency: number): Promise<number> {
  const queue = [...urls]
  const startedAt = performance.now()
  const work = async () => {
    for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
      const pageStartedAt = performance.now()
      const html = await render(url)
      if (!html.includes('an article that came')) throw new Error(`${url} was not rendered`)
      durations.push(performance.now() - pageStartedAt)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return performance.now() - startedAt
}

/** The first page, including the start of the browser. */
async function startCold(executable: string, site: ShellSite) {
  const durations: number[] = []
  for (let start = 0; start < COLD_STARTS; start++) {
    await using renderer = rendererFor(executable, site.port)
    const startedAt = performance.now()
    await renderer.render(new URL(site.urlOf('react', 'now')), budgetOf(TIMEOUT_MS))
    durations.push(performance.now() - startedAt)
  }
  console.log(
    `cold start to first page: median ${percentile(durations, 50).toFixed(0)} ms, worst ${percentile(durations, 100).toFixed(0)} ms`,
  )
}

/** Memory of Chromium with several open pages (PSS, which counts shared memory once). */
async function measureMemory(executable: string, site: ShellSite) {
  const PAGES = 4
  let profile = ''
  await using renderer = rendererFor(executable, site.port, {
    concurrency: PAGES,
    onStart: (opened) => (profile = opened.process!.profile),
  })
  await renderer.render(new URL(site.urlOf('react', 'now')), budgetOf(TIMEOUT_MS))
  // The page's renderer process takes a moment to exit.
  await Bun.sleep(3_000)
  const idle = megabytesOf(profile)
  const held = FRAMEWORKS.slice(0, PAGES).map((framework) =>
    renderer.render(new URL(site.urlOf(framework, 'late')), budgetOf(TIMEOUT_MS)),
  )
  let most = idle
  const timer = setInterval(() => (most = Math.max(most, megabytesOf(profile))), 50)
  await Promise.all(held)
  clearInterval(timer)
  console.log(`Chromium idle ${Math.round(idle)} MB, each page ${Math.round((most - idle) / PAGES)} MB more`)
}

/** Renders hostile pages and prints which processes, directories and files are left. */
async function renderHostilePages(executable: string, count: number) {
  if (count === 0) return
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      return HOSTILE_PAGES.find(({ path }) => path === pathname)?.respond() ?? new Response('<title>Good</title>')
    },
  })
  const openBefore = await openFiles()
  const profiles: string[] = []
  let late = 0
  {
    await using renderer = rendererFor(executable, server.port!, {
      onStart: (opened) => profiles.push(opened.process!.profile),
    })
    const pages = Array.from({ length: count }, (_, i) => HOSTILE_PAGES[i % HOSTILE_PAGES.length]!)
    const work = async () => {
      for (let page = pages.pop(); page !== undefined; page = pages.pop()) {
        const startedAt = performance.now()
        await renderer.render(new URL(`http://127.0.0.1:${server.port}${page.path}`), budgetOf(HOSTILE_TIMEOUT_MS))
        late = Math.max(late, performance.now() - startedAt - HOSTILE_TIMEOUT_MS)
      }
    }
    await Promise.all(Array.from({ length: CPUS }, work))
  }
  await server.stop(true)
  // Chromium's crash handler exits shortly after the browser.
  await Bun.sleep(2_000)
  console.log(
    `${count} hostile pages: at most ${Math.round(late)} ms past the deadline; ${profiles.length} Chromium started`,
  )
  console.log(
    `  left behind: ${profiles.flatMap(processesOf).length} processes, ${profiles.filter(existsSync).length} directories, ` +
      `${(await openFiles()) - openBefore} open files`,
  )
}

const openFiles = async () => (await readdir('/proc/self/fd')).length

function rendererFor(executable: string, port: number, parts: Partial<Parameters<typeof createRenderer>[0]> = {}) {
  return createRenderer({
    chromium: { executable },
    settings: settingsOf({ allow: [parseAllowRule(`127.0.0.1:${port}`)!] }),
    dnsServers: null,
    egressProxy: null,
    ownPorts: () => [],
    concurrency: CPUS,
    userAgent: null,
    ...parts,
  })
}

function budgetOf(timeoutMs: number): Budget {
  const deadlineMs = performance.now() + timeoutMs
  return {
    userId: null,
    publicOnly: false,
    signal: AbortSignal.timeout(timeoutMs),
    remainingMs: () => Math.max(0, deadlineMs - performance.now()),
  }
}

function megabytesOf(profile: string): number {
  const kilobytes = processesOf(profile).map(({ pid }) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0
    }
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1_024
}
