// What Redis costs: cached answers of the executable with it and without, in turns, and its adapters alone.
// usage: bun bench/main.ts redis      (after `bun run build`; needs redis-server or valkey-server, and wrk)
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { connectRedis } from '../src/store/redis/connection.ts'
import { redisRateLimiter } from '../src/store/redis/rate-limiter.ts'
import { redisResultCache } from '../src/store/redis/result-cache.ts'
import { startRedis } from '../test/redis.ts'
import { load, median } from './cached.ts'
import { EXECUTABLE, start } from './service.ts'

const ROUNDS = 5
const ROUND_SECONDS = 2
const OPERATIONS = 30_000
const AT_ONCE = 32

const PAGE = `<!doctype html><title>A page</title><link rel="icon" href="/icon.png"><p>Text</p>`

export async function run() {
  const executable = Bun.which('redis-server') ?? Bun.which('valkey-server')
  if (executable === null) throw new Error('neither redis-server nor valkey-server is installed')
  await using redis = await startRedis(executable)
  using connection = await connectRedis({ url: redis.url })
  const limiter = redisRateLimiter(connection)
  const results = redisResultCache(connection, { ttlMs: 3_600_000, maxResults: 1_000_000 })
  const json = 'x'.repeat(1_000)
  const counts = (n: number) => [
    { key: `key ${n % 50}`, limit: 1_000_000 },
    { key: `user ${n % 50}`, limit: 1_000_000 },
  ]
  await rate('minute counts', (n) => limiter.take(counts(n), Date.now()))
  await rate('results stored', (n) => results.put(`https://site.test/${n}`, { json, storedAtMs: Date.now() }))
  await rate('results found', (n) => results.get(`https://site.test/${n}`))

  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html' } }),
  })
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-bench-'))
  try {
    await compare(dir, origin.port!, redis.url)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function rate(what: string, operation: (n: number) => Promise<unknown>) {
  const startedAt = performance.now()
  for (let n = 0; n < OPERATIONS; n += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => operation(n + i)))
  }
  const perSecond = OPERATIONS / ((performance.now() - startedAt) / 1_000)
  console.log(`${what}, ${AT_ONCE} at once: ${Math.round(perSecond)}/s`)
}

async function compare(dir: string, originPort: number, redisUrl: string) {
  const kinds = { 'without Redis': {}, 'with Redis': { URLMETA_REDIS_URL: redisUrl } }
  const servers = []
  for (const [name, env] of Object.entries(kinds)) {
    const cwd = join(dir, name)
    mkdirSync(cwd)
    servers.push({ name, ...(await startServer(cwd, originPort, env)), perSecond: [] as number[], cpu: [] as number[] })
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const server of servers) {
      const { perSecond, cpuPerAnswer } = await load(server, ROUND_SECONDS)
      // The first one warms up.
      if (round === 0) continue
      server.perSecond.push(perSecond)
      server.cpu.push(cpuPerAnswer)
    }
  }
  for (const { name, perSecond, cpu, child } of servers) {
    console.log(`cached answers ${name}: ${Math.round(median(perSecond))}/s, CPU ${median(cpu).toFixed(1)} µs each`)
    child.kill('SIGTERM')
    await child.exited
  }
}

async function startServer(cwd: string, originPort: number, env: Record<string, string>) {
  const options = {
    cwd,
    env: {
      URLMETA_PORT: '0',
      URLMETA_CHROMIUM: 'off',
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${originPort}`,
      URLMETA_PLAN_FREE_PER_MINUTE: '1000000',
      URLMETA_PLAN_FREE_PER_MONTH: '100000000',
      ...env,
    },
  }
  const created = Bun.spawnSync([EXECUTABLE, 'key', 'create', '--email', 'bench@example.com', '--json'], options)
  const { key } = JSON.parse(created.stdout.toString()) as { key: string }
  const { base, child } = await start(options)
  const url = `${base}/v1/metadata?url=${encodeURIComponent(`http://127.0.0.1:${originPort}/`)}`
  const headers = { 'x-api-key': key }
  for (const cache of ['MISS', 'HIT']) {
    const answer = await fetch(url, { headers })
    if (answer.headers.get('x-cache') !== cache) throw new Error(`${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  return { url, headers, pid: child.pid, child }
}
