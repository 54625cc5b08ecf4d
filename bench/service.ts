// The executable as an operator meets it: how soon it answers, how much memory it keeps, how many requests it serves.
// usage: bun bench/main.ts service      (after `bun run build`)
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { measureCached } from './cached.ts'

export const EXECUTABLE = process.env['URLMETA_EXECUTABLE'] ?? join(import.meta.dir, '../dist/urlmeta')
const STARTS = 10
const REQUESTS = 1_000
const AT_ONCE = 16

const PAGE = `<!doctype html><html lang="en"><head><title>A page</title>
<meta name="description" content="What it says"><meta property="og:image" content="/cover.png">
<link rel="icon" href="/icon.png"></head><body><p>Text</p></body></html>`

export async function run() {
  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  })
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-bench-'))
  try {
    await measure(dir, origin.port!)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function measure(dir: string, originPort: number) {
  const options = {
    cwd: dir,
    env: {
      URLMETA_PORT: '0',
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${originPort}`,
      URLMETA_PLAN_FREE_PER_MINUTE: '1000000',
      URLMETA_PLAN_FREE_PER_MONTH: '100000000',
    },
  }
  const created = Bun.spawnSync([EXECUTABLE, 'key', 'create', '--email', 'bench@example.com', '--json'], options)
  const { key } = JSON.parse(created.stdout.toString())
  const pageUrl = (n: number) => encodeURIComponent(`http://127.0.0.1:${originPort}/page${n}`)
  const ask = async (base: string, n: number, parameters = '') => {
    const response = await fetch(`${base}/v1/metadata?url=${pageUrl(n)}${parameters}`, {
      headers: { 'x-api-key': key },
    })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
  }

  const starts: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const startedAt = performance.now()
    const { base, child } = await start(options)
    await ask(base, 0, '&cache=false')
    starts.push(performance.now() - startedAt)
    child.kill('SIGTERM')
    await child.exited
  }
  starts.sort((a, b) => a - b)
  console.log(
    `start to first 200: median ${Math.round(starts[STARTS / 2]!)} ms, worst ${Math.round(starts.at(-1)!)} ms of ${STARTS}`,
  )

  const { base, child } = await start(options)
  await ask(base, 0)
  console.log(`resident memory after the first request: ${residentMegabytes(child.pid)} MB`)
  const fresh = await perSecond((n) => ask(base, n + 1))
  console.log(`resident memory after ${REQUESTS} requests: ${residentMegabytes(child.pid)} MB`)
  const cached = await perSecond((n) => ask(base, n + 1))
  console.log(`resident memory after ${2 * REQUESTS} requests: ${residentMegabytes(child.pid)} MB`)
  console.log(
    `fresh answers: ${Math.round(fresh)}/s, cached answers: ${Math.round(cached)}/s (client and origin on the same cores)`,
  )
  console.log(`cached to fresh: ${(cached / fresh).toFixed(1)}`)
  const url = `${base}/v1/metadata?url=${pageUrl(1)}`
  await measureCached({ url, pid: child.pid, headers: { 'x-api-key': key } }, dir)
  console.log(`resident memory after them: ${residentMegabytes(child.pid)} MB`)
  child.kill('SIGTERM')
  await child.exited
}

export async function start(options: { cwd: string; env: Record<string, string> }) {
  // A file, not a pipe: a reader on these two cores would be measured too.
  const log = Bun.file(join(options.cwd, 'log'))
  await Bun.write(log, '')
  const child = Bun.spawn([EXECUTABLE], { ...options, stdout: log, stderr: 'inherit' })
  for (;;) {
    const base = /listens on (http:\/\/[^"\s]+)/.exec(await log.text())?.[1]
    if (base) return { base, child }
    if (child.exitCode !== null) throw new Error('it ended before it listened')
    await Bun.sleep(1)
  }
}

async function perSecond(request: (n: number) => Promise<void>): Promise<number> {
  let next = 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < REQUESTS) await request(next++)
    }),
  )
  return REQUESTS / ((performance.now() - startedAt) / 1000)
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
