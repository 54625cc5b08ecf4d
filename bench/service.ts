// The whole executable: time to the first response, memory, and requests per second.
// usage: bun bench/main.ts service      (after `bun run build`)
import { median, residentMegabytes } from './statistics.ts'
import { createInstallation } from './servers.ts'

const STARTS = 10
const REQUESTS = 1_000
const CONCURRENCY = 16

const PAGE = `<!doctype html><html lang="en"><head><title>A page</title>
<meta name="description" content="What it says"><meta property="og:image" content="/cover.png">
<link rel="icon" href="/icon.png"></head><body><p>Text</p></body></html>`

export async function run() {
  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  })
  using installation = createInstallation(origin.port!)
  const { key, start } = installation
  const pageUrl = (n: number) => encodeURIComponent(`http://127.0.0.1:${origin.port}/page${n}`)
  const request = async (base: string, n: number, parameters = '') => {
    const response = await fetch(`${base}/v1/metadata?url=${pageUrl(n)}${parameters}`, {
      headers: { 'x-api-key': key },
    })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
  }

  const starts: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const startedAt = performance.now()
    await using server = await start()
    await request(server.base, 0, '&cache=false')
    starts.push(performance.now() - startedAt)
  }
  console.log(
    `start to first 200: median ${Math.round(median(starts))} ms, worst ${Math.round(Math.max(...starts))} ms of ${STARTS}`,
  )

  await using server = await start()
  const { base, pid } = server
  await request(base, 0)
  console.log(`resident memory after the first request: ${residentMegabytes(pid)} MB`)
  const fresh = await perSecond((n) => request(base, n + 1))
  console.log(`resident memory after ${REQUESTS} requests: ${residentMegabytes(pid)} MB`)
  const cached = await perSecond((n) => request(base, n + 1))
  console.log(`resident memory after ${2 * REQUESTS} requests: ${residentMegabytes(pid)} MB`)
  console.log(
    `uncached responses: ${Math.round(fresh)}/s, cached responses: ${Math.round(cached)}/s (client and origin on the same cores)`,
  )
  console.log(`cached to uncached: ${(cached / fresh).toFixed(1)}`)
}

async function perSecond(request: (n: number) => Promise<void>): Promise<number> {
  let next = 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < REQUESTS) await request(next++)
    }),
  )
  return REQUESTS / ((performance.now() - startedAt) / 1000)
}
