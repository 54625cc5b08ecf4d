// Runs the executable under a constant mix of cached, fresh and rendered pages for a long time, and prints whether its
// rate, latency, memory or open files change.
// usage: bun bench/main.ts soak [MINUTES]      (after `bun run build`; 20 minutes by default)
import { readdirSync } from 'node:fs'

import { median, percentile, residentMegabytes } from './statistics.ts'
import { createInstallation } from './servers.ts'

const DEFAULT_MINUTES = 20
const CONCURRENCY = 8
/** The run is reported in this many equal parts. */
const PARTS = 6
/** Percentages of requests; all others are for cached pages. */
const FRESH_PERCENT = 18
const HEADLESS_PERCENT = 2
const CACHED_PAGES = 1_000
/** Memory is measured repeatedly, because it varies with each garbage collection. */
const MEMORY_INTERVAL_MS = 1_000

const PAGE = '<!doctype html><title>A page</title><meta name=description content=Text><link rel=icon href=/i><p>Text'
const SHELL = `<!doctype html><link rel=icon href=/i><div id=root></div>
<script>
  document.title = 'Set by a script'
  for (const [property, content] of [['og:title', 'Title'], ['og:description', 'Text'], ['og:image', '/image.png'], ['og:type', 'article']]) {
    const meta = document.createElement('meta')
    meta.setAttribute('property', property)
    meta.content = content
    document.head.append(meta)
  }
  document.getElementById('root').textContent = 'Text'
</script>`

type Kind = 'cached' | 'fresh' | 'headless'
const KINDS: readonly Kind[] = ['cached', 'fresh', 'headless']

export async function run([minutes = String(DEFAULT_MINUTES)]: string[]) {
  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      new Response(new URL(url).pathname.startsWith('/shell') ? SHELL : PAGE, {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  })
  await soak(origin.port!, Number(minutes) * 60_000)
}

async function soak(originPort: number, durationMs: number) {
  using installation = createInstallation(originPort)
  await using server = await installation.start()
  const { base, pid } = server

  let next = 0
  const request = async (kind: Kind) => {
    const n = next++
    const path = { cached: `/page${n % CACHED_PAGES}`, fresh: `/fresh${n}`, headless: `/shell${n}` }[kind]
    const query = new URLSearchParams({ url: `http://127.0.0.1:${originPort}${path}`, timeout: '15000' })
    const response = await fetch(`${base}/v1/metadata?${query}`, { headers: { 'x-api-key': installation.key } })
    await response.arrayBuffer()
    return response.status
  }

  console.log(
    `${durationMs / 60_000} minutes, ${CONCURRENCY} clients, ${FRESH_PERCENT} % fresh, ${HEADLESS_PERCENT} % rendered`,
  )
  console.log(`  at start: ${residentMegabytes(pid)} MB resident, ${descriptorsOf(pid)} descriptors`)
  for (let part = 1; part <= PARTS; part++) {
    const times: Record<Kind, number[]> = { cached: [], fresh: [], headless: [] }
    let failures = 0
    const memory: number[] = []
    const measuring = setInterval(() => memory.push(residentMegabytes(pid)), MEMORY_INTERVAL_MS)
    const startedAt = performance.now()
    const endsAt = startedAt + durationMs / PARTS
    const client = async () => {
      while (performance.now() < endsAt) {
        const dice = Math.random() * 100
        const kind = dice < HEADLESS_PERCENT ? 'headless' : dice < HEADLESS_PERCENT + FRESH_PERCENT ? 'fresh' : 'cached'
        const sentAt = performance.now()
        if ((await request(kind)) !== 200) failures++
        times[kind].push(performance.now() - sentAt)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, client))
    clearInterval(measuring)
    const count = KINDS.reduce((sum, kind) => sum + times[kind].length, 0)
    const slowest = KINDS.map((kind) => `${kind} ${Math.round(percentile(times[kind], 99))} ms`).join(', ')
    const rate = Math.round(count / ((performance.now() - startedAt) / 1_000))
    console.log(`part ${part}: ${rate}/s, ${failures} failed, p99 ${slowest}`)
    const resident = `${median(memory)} MB resident (${Math.min(...memory)} to ${Math.max(...memory)})`
    console.log(`  ${resident}, ${descriptorsOf(pid)} descriptors at its end`)
  }
  console.log(`exit code ${await server.stop()}`)
}

const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length
