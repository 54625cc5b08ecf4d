// The cost of Redis: cached responses of the executable with and without it, alternating, and the adapters alone.
// usage: bun bench/main.ts redis      (after `bun run build`; needs redis-server or valkey-server, and wrk)
import { connectRedis } from '../src/store/redis/connection.ts'
import { redisRateLimiter } from '../src/store/redis/rate-limiter.ts'
import { redisResultCache } from '../src/store/redis/result-cache.ts'
import { findRedis } from '../test/programs.ts'
import { startRedis } from '../test/redis.ts'
import { waitForHit, load, type Round } from './cached.ts'
import { median } from './statistics.ts'
import { createInstallation } from './servers.ts'

const ROUNDS = 5
const ROUND_SECONDS = 2
const OPERATIONS = 30_000
const CONCURRENCY = 32

const PAGE = `<!doctype html><title>A page</title><link rel="icon" href="/icon.png"><p>Text</p>`

export async function run() {
  const executable = findRedis()
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
  await rate('minute counts', async (n) => limiter.take(counts(n), Date.now()))
  await rate('results stored', (n) => results.put(`https://site.test/${n}`, { json, storedAtMs: Date.now() }))
  await rate('results found', async (n) => results.get(`https://site.test/${n}`))

  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html' } }),
  })
  await compare(origin.port!, redis.url)
}

async function rate(what: string, operation: (n: number) => Promise<unknown>) {
  const startedAt = performance.now()
  for (let n = 0; n < OPERATIONS; n += CONCURRENCY) {
    await Promise.all(Array.from({ length: CONCURRENCY }, (_, i) => operation(n + i)))
  }
  const perSecond = OPERATIONS / ((performance.now() - startedAt) / 1_000)
  console.log(`${what}, ${CONCURRENCY} concurrent: ${Math.round(perSecond)}/s`)
}

async function compare(originPort: number, redisUrl: string) {
  await using stack = new AsyncDisposableStack()
  const kinds = { 'without Redis': {}, 'with Redis': { URLMETA_REDIS_URL: redisUrl } }
  const servers = []
  for (const [name, env] of Object.entries(kinds)) {
    const installation = stack.use(createInstallation(originPort, { URLMETA_CHROMIUM: 'off', ...env }))
    const { base, pid } = stack.use(await installation.start())
    const url = `${base}/v1/metadata?url=${encodeURIComponent(`http://127.0.0.1:${originPort}/`)}`
    const server = { pid, url, headers: { 'x-api-key': installation.key } }
    await waitForHit(server)
    servers.push({ name, ...server, rounds: [] as Round[] })
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const server of servers) {
      const result = await load(server, ROUND_SECONDS)
      // The first round is a warm-up.
      if (round > 0) server.rounds.push(result)
    }
  }
  for (const { name, rounds } of servers) {
    const perSecond = median(rounds.map((round) => round.perSecond))
    const cpu = median(rounds.map((round) => round.cpuPerResponse))
    console.log(`cached responses ${name}: ${Math.round(perSecond)}/s, CPU ${cpu.toFixed(1)} µs each`)
  }
}
