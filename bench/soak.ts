// Runs the executable under a constant mix of requests for a long time: cached, uncached, rendered and hostile pages, formats
// of other services, and cards on web pages, which are refused because the pages are on loopback. Prints whether rate, latency,
// memory or open files change, and compares the successful responses with what was charged.
// usage: bun bench/main.ts soak [MINUTES]      (after `bun run build`; 20 minutes by default)
import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { startFetchOrigin } from './hostile-fetches.ts'
import { createInstallation, type Installation } from './servers.ts'
import { median, percentile, residentMegabytes } from './statistics.ts'

const DEFAULT_MINUTES = 20
const CONCURRENCY = 8
/** The run is reported in this many equal parts. */
const PARTS = 8
const CACHED_PAGES = 1_000
/** Hostile servers do not respond, so their requests take this long. */
const HOSTILE_TIMEOUT_MS = 1_000
const TIMEOUT_MS = 15_000
/** Memory is measured repeatedly, because it varies with each garbage collection. */
const MEMORY_INTERVAL_MS = 1_000
/** The page with the cards. */
const CARD_ORIGIN = 'https://blog.example'
const FORMATS = ['compat/microlink', 'compat/iframely', 'compat/editorjs', 'oembed']

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

/** The kinds of requests, with their percentages. */
const PERCENT = { cached: 60, fresh: 15, format: 12, card: 8, hostile: 3, rendered: 2 }
type Kind = keyof typeof PERCENT
const KINDS = Object.keys(PERCENT) as Kind[]

export async function run([minutes = String(DEFAULT_MINUTES)]: string[]) {
  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      new Response(new URL(url).pathname.startsWith('/shell') ? SHELL : PAGE, {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  })
  await using hostile = await startFetchOrigin()
  const { ports } = hostile
  using installation = createInstallation(origin.port!, {
    URLMETA_ALLOW_PRIVATE_HOSTS: [origin.port!, ...ports.hostile].map((port) => `127.0.0.1:${port}`).join(),
    // So that each card can have a visitor of its own, as behind a reverse proxy.
    URLMETA_TRUSTED_PROXIES: '127.0.0.1',
  })
  await soak(installation, origin.port!, ports.hostile, Number(minutes) * 60_000)
  console.log(`connections to the forbidden port: ${await hostile.canaryConnections()}`)
}

async function soak(installation: Installation, pagePort: number, hostilePorts: readonly number[], durationMs: number) {
  await using server = await installation.start()
  const { base, pid } = server
  const send = createRequests(installation, base, pagePort, hostilePorts)
  let answered = 0

  const mix = KINDS.map((kind) => `${PERCENT[kind]} % ${kind}`).join(', ')
  console.log(`${durationMs / 60_000} minutes, ${CONCURRENCY} clients: ${mix}`)
  console.log(`at the start: ${residentMegabytes(pid)} MB resident, ${descriptorsOf(pid)} descriptors`)
  for (let part = 1; part <= PARTS; part++) {
    const times = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]))
    const unexpected = new Map<string, number>()
    const memory: number[] = []
    const measuring = setInterval(() => memory.push(residentMegabytes(pid)), MEMORY_INTERVAL_MS)
    const startedAt = performance.now()
    const client = async () => {
      while (performance.now() < startedAt + durationMs / PARTS) {
        const kind = randomKind()
        const sentAt = performance.now()
        const response = await send[kind]()
        await response.arrayBuffer()
        times.get(kind)!.push(performance.now() - sentAt)
        if (response.ok) answered++
        else if (kind !== 'hostile' && !(kind === 'card' && response.status === 400)) {
          const name = `${kind} ${response.status}`
          unexpected.set(name, (unexpected.get(name) ?? 0) + 1)
        }
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, client))
    clearInterval(measuring)
    const count = [...times.values()].reduce((sum, ofKind) => sum + ofKind.length, 0)
    const rate = Math.round(count / ((performance.now() - startedAt) / 1_000))
    const slowest = [...times].map(([kind, ofKind]) => `${kind} ${Math.round(percentile(ofKind, 99))} ms`).join(', ')
    const failed = [...unexpected].map(([name, repeated]) => `${repeated} × ${name}`).join(', ') || 'none'
    console.log(`part ${part}: ${rate}/s, failed: ${failed}, p99 ${slowest}`)
    const resident = `${median(memory)} MB resident (${Math.min(...memory)} to ${Math.max(...memory)})`
    console.log(`  ${resident}, ${descriptorsOf(pid)} descriptors at its end`)
  }
  console.log(`exit code ${await server.stop()}`)
  using database = new Database(join(installation.dir, 'data/urlmeta.db'), { readonly: true })
  const { used } = database.query<{ used: number }, []>('SELECT sum(used) AS used FROM monthly_usage').get()!
  console.log(`${answered} answered, ${used} charged`)
  if (answered !== used) process.exitCode = 1
}

/** A function per kind that sends one request. */
function createRequests(
  { key, command }: Installation,
  base: string,
  pagePort: number,
  hostilePorts: readonly number[],
): Record<Kind, () => Promise<Response>> {
  const created = command('key', 'create', '--email', 'bench@example.com', '--origins', CARD_ORIGIN, '--json')
  const { key: cardKey } = JSON.parse(created) as { key: string }
  let next = 0
  const request = (path: string, url: string, headers: Record<string, string>, timeoutMs = TIMEOUT_MS) => {
    const timeout: Record<string, string> = path === 'v1/metadata' ? { timeout: String(timeoutMs) } : {}
    return fetch(`${base}/${path}?${new URLSearchParams({ url, ...timeout })}`, { headers })
  }
  const pageUrl = (path: string) => `http://127.0.0.1:${pagePort}${path}`
  const cachedPage = () => pageUrl(`/page${next++ % CACHED_PAGES}`)
  const own = { 'x-api-key': key }
  const visitor = () => `10.${[next >> 16, next >> 8, next].map((part) => part & 255).join('.')}`
  return {
    cached: () => request('v1/metadata', cachedPage(), own),
    fresh: () => request('v1/metadata', pageUrl(`/fresh${next++}`), own),
    format: () => request(FORMATS[next % FORMATS.length]!, cachedPage(), own),
    card: () =>
      request('v1/metadata', cachedPage(), {
        'x-api-key': cardKey,
        'x-forwarded-for': visitor(),
        origin: CARD_ORIGIN,
      }),
    hostile: () => {
      const port = hostilePorts[next++ % hostilePorts.length]!
      return request('v1/metadata', `http://127.0.0.1:${port}/${next}`, own, HOSTILE_TIMEOUT_MS)
    },
    rendered: () => request('v1/metadata', pageUrl(`/shell${next++}`), own),
  }
}

function randomKind(): Kind {
  let dice = Math.random() * 100
  return KINDS.find((kind) => (dice -= PERCENT[kind]) < 0) ?? 'cached'
}

const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length
