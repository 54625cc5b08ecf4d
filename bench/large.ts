// Compares an installation with a year of data of many users and a full cache with an empty installation.
// usage: bun bench/main.ts large      (after `bun run build`; needs 6 GB on the disk of the temporary directory)
import { waitForHit } from './cached.ts'
import { median, percentile } from './statistics.ts'
import { ageCache, fillCache, fillDatabase, KEYS, RESULTS, USER_MONTHS, USERS } from './large-data.ts'
import { paced } from './paced.ts'
import { createInstallation, type Installation, type Server } from './servers.ts'

const EMAIL = 'bench@example.com'
const STARTS = 10
const ROUNDS = 5
const PACED = { perSecond: 2_000, seconds: 3, connections: 32 }
const PAGE_LOADS = 30
const PAGES = [
  '/',
  '/keys',
  '/usage',
  '/usage/requests',
  '/playground',
  '/account',
  '/admin',
  '/admin/audit',
  '/admin/health',
]
const DAY_MS = 24 * 60 * 60_000
/** Much longer than a sweep takes. */
const SWEEP_TIMEOUT_MS = 10 * 60_000

type Name = 'empty' | 'large'

export async function run() {
  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response('<!doctype html><title>A page</title><link rel=icon href=/i>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  })
  const env = { URLMETA_ADMIN_EMAILS: EMAIL }
  using empty = createInstallation(origin.port!, env)
  using large = createInstallation(origin.port!, env)
  const installations = { empty, large }
  const query = `/v1/metadata?url=${encodeURIComponent(`http://127.0.0.1:${origin.port}/page`)}`

  for (const name of ['empty', 'large'] as const) {
    await using server = await installations[name].start()
    await waitForHit(requestOf(server, installations[name], query))
  }
  fillDatabase(large.dir, EMAIL)
  fillCache(large.dir, 0)
  console.log(
    `large: ${RESULTS} results, ${USERS} users, ${KEYS} keys, ${USER_MONTHS} months of usage, a year of days of the measured user`,
  )

  await compareStarts(installations, query)
  await compareRequests(installations, query)
  await sweep(large, query)
}

function requestOf({ base, pid }: Server, { key }: Installation, query: string) {
  return { pid, url: base + query, headers: { 'x-api-key': key } }
}

async function compareStarts(installations: Record<Name, Installation>, query: string) {
  const times: Record<Name, number[]> = { empty: [], large: [] }
  for (let i = 0; i < STARTS; i++) {
    for (const name of ['empty', 'large'] as const) {
      const startedAt = performance.now()
      await using server = await installations[name].start()
      const { url, headers } = requestOf(server, installations[name], query)
      await (await fetch(url, { headers })).arrayBuffer()
      times[name].push(performance.now() - startedAt)
    }
  }
  row('start to first 200', times)
}

async function compareRequests(installations: Record<Name, Installation>, query: string) {
  await using empty = await installations.empty.start()
  await using large = await installations.large.start()
  const servers = { empty, large }
  const latencies: Record<Name, number[]> = { empty: [], large: [] }
  for (let i = 0; i < ROUNDS; i++) {
    for (const name of ['empty', 'large'] as const) {
      const request = requestOf(servers[name], installations[name], query)
      const { times, failures } = await paced({ ...request, ...PACED })
      if (failures > 0) throw new Error(`${failures} requests failed`)
      latencies[name].push(percentile(times, 99))
    }
  }
  row(`cached responses at ${PACED.perSecond}/s, p99`, latencies)

  const cookies = {
    empty: await signIn(empty, installations.empty),
    large: await signIn(large, installations.large),
  }
  for (const path of PAGES) {
    const times: Record<Name, number[]> = { empty: [], large: [] }
    for (let i = 0; i < PAGE_LOADS; i++) {
      for (const name of ['empty', 'large'] as const) {
        const startedAt = performance.now()
        const response = await fetch(servers[name].base + path, {
          headers: { cookie: cookies[name] },
          redirect: 'manual',
        })
        await response.arrayBuffer()
        if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
        times[name].push(performance.now() - startedAt)
      }
    }
    row(path, times)
  }
}

/** Signs in with a one-time link; returns the cookies. */
async function signIn({ base }: Server, installation: Installation): Promise<string> {
  const { url } = JSON.parse(installation.command('user', 'sign-in-link', EMAIL, '--json')) as { url: string }
  const { pathname, search } = new URL(url)
  const page = await fetch(base + pathname + search)
  const cookie = cookiesOf(page)
  const fields = [...(await page.text()).matchAll(/name="(csrf|token)" value="([^"]*)"/g)]
  const response = await fetch(base + pathname, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams(Object.fromEntries(fields.map(([, name, value]) => [name!, value!]))),
    redirect: 'manual',
  })
  if (response.status !== 303) throw new Error(`sign-in: ${response.status}`)
  return cookiesOf(response)
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((text) => text.split(';', 1)[0])
    .join('; ')
}

/** Makes all results expire, starts the server, and measures cached responses until the results are swept. */
async function sweep(installation: Installation, query: string) {
  ageCache(installation.dir, 2 * DAY_MS)
  await using server = await installation.start()
  const startedAt = performance.now()
  const request = requestOf(server, installation, query)
  await waitForHit(request)
  const longest: number[] = []
  const latencies: number[] = []
  while (performance.now() - startedAt < SWEEP_TIMEOUT_MS) {
    const { times } = await paced({ ...request, ...PACED, seconds: 1 })
    latencies.push(...times)
    const metrics = await (await fetch(`${server.base}/metrics`)).text()
    longest.push(1_000 * numberOf(metrics, 'nodejs_eventloop_lag_max_seconds'))
    if (numberOf(metrics, 'urlmeta_cache_entries') < 10) break
  }
  console.log(`${RESULTS} expired results swept in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
  console.log(`  longest stall of the event loop: ${Math.max(...longest).toFixed(0)} ms`)
  console.log(
    `  cached responses during the sweep at ${PACED.perSecond}/s: p99 ${percentile(latencies, 99).toFixed(1)} ms`,
  )
}

function numberOf(metrics: string, name: string): number {
  return Number(new RegExp(`^${name}(?:{[^}]*})? (.*)$`, 'm').exec(metrics)?.[1])
}

function row(what: string, times: Record<Name, number[]>) {
  const [empty, large] = [median(times.empty), median(times.large)]
  console.log(
    `${what}: empty ${empty.toFixed(1)} ms, large ${large.toFixed(1)} ms, ratio ${(large / empty).toFixed(2)}`,
  )
}
