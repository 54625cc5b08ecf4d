// Load of cached responses, and a bare Elysia route that sends the same.
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cpuMsOf } from './statistics.ts'
import { startScript } from './servers.ts'

const CONNECTIONS = 64
const CACHE_ATTEMPTS = 100

/** A server and the request for one cached response. */
export interface Server {
  pid: number
  url: string
  headers: Record<string, string>
}

/** The result of one server in one round. */
export interface Round {
  perSecond: number
  /** CPU time of the server's process in microseconds; comparable even when the machine is shared. */
  cpuPerResponse: number
}

/** Starts a bare route that sends the JSON and headers of a response, which are written to `dir`. */
export async function startBareRoute(response: Response, dir: string) {
  const files = [join(dir, 'response.json'), join(dir, 'headers.json')] as const
  const { date: _, 'content-length': __, ...sentHeaders } = Object.fromEntries(response.headers)
  await Promise.all([Bun.write(files[0], await response.text()), Bun.write(files[1], JSON.stringify(sentHeaders))])
  return await startScript('bare-route.ts', files)
}

/** Requests the URL until its response is cached, which it is soon after the first one; returns the cached response. */
export async function waitForHit({ url, headers }: Server): Promise<Response> {
  for (let n = 0; n < CACHE_ATTEMPTS; n++) {
    const response = await fetch(url, { headers })
    if (response.headers.get('x-cache') === 'HIT') return response
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
    await Bun.sleep(10)
  }
  throw new Error('the response is not cached')
}

/** Keeps all connections busy with requests for the URLs, one after the other. Uses wrk if it is installed. */
export async function load(server: Server, seconds: number, urls: readonly string[] = [server.url]): Promise<Round> {
  const before = cpuMsOf(server.pid)
  const responses = await (Bun.which('wrk') === null ? loadByFetch : loadByWrk)(server, seconds, urls)
  return { perSecond: responses / seconds, cpuPerResponse: ((cpuMsOf(server.pid) - before) / responses) * 1_000 }
}

async function loadByWrk({ headers }: Server, seconds: number, urls: readonly string[]): Promise<number> {
  const script = join(tmpdir(), `urlmeta-bench-${process.pid}.lua`)
  const paths = urls.map((url) => JSON.stringify(url.slice(new URL(url).origin.length)))
  await Bun.write(
    script,
    `local paths, n = { ${paths.join(',')} }, 0
request = function() n = n + 1; return wrk.format("GET", paths[n % #paths + 1]) end`,
  )
  const options = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  if (urls.length > 1) options.push('-s', script)
  const child = Bun.spawn(['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...options, urls[0]!], { stdout: 'pipe' })
  const report = await child.stdout.text()
  rmSync(script)
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(report)
  return Number(/(\d+) requests in/.exec(report)![1])
}

async function loadByFetch({ headers }: Server, seconds: number, urls: readonly string[]): Promise<number> {
  const endsAt = performance.now() + seconds * 1_000
  let responses = 0
  const client = async () => {
    while (performance.now() < endsAt) {
      const response = await fetch(urls[responses++ % urls.length]!, { headers })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`status ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  return responses
}
