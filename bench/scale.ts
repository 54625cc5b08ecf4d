// Compares cached responses of 1, 2 and 3 processes on PostgreSQL and Redis with the embedded mode, alternating, and
// measures the CPU time of each server. PostgreSQL syncs every commit to disk.
// usage: bun bench/main.ts scale [ROUNDS] [CONNECTIONS]      (after `bun run build`; needs PostgreSQL, Redis, wrk)
import { join } from 'node:path'

import { SQL } from 'bun'

import { findPostgres, findRedis } from '../test/programs.ts'
import { type PostgresServer, startPostgres } from '../test/postgres.ts'
import { type RedisServer, startRedis } from '../test/redis.ts'
import { waitForHit } from './cached.ts'
import { cpuMsOf, cpuMsOfFamily, median } from './statistics.ts'
import { createInstallation, type Server } from './servers.ts'

const DEFAULT_ROUNDS = 5
const ROUND_SECONDS = 3
/** The connections to all processes together; divisible by each number of processes. */
const DEFAULT_CONNECTIONS = 96
const PROCESSES = [1, 2, 3]
/** With one user, all processes charge the same row. */
const USERS = [1, 30]
const COMMIT_SECONDS = 2

const PAGE = '<!doctype html><title>A page</title><link rel="icon" href="/icon.png"><p>Text</p>'

interface Round {
  perSecond: number
  /** CPU time per response, in microseconds. */
  cpu: { urlmeta: number; postgres: number; redis: number }
}

/** A running deployment of the service. */
interface Setup {
  name: string
  servers: readonly Server[]
  rounds: Round[]
  load(): Promise<Round>
  responses: number
  /** The PostgreSQL database; null for the embedded mode. */
  sql: SQL | null
}

export async function run([rounds = `${DEFAULT_ROUNDS}`, connections = `${DEFAULT_CONNECTIONS}`]: string[]) {
  const [postgresDir, redisPath] = [findPostgres(), findRedis()]
  if (postgresDir === null || redisPath === null) throw new Error('PostgreSQL and Redis (or Valkey) must be installed')
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await startPostgres(postgresDir, ['shared_buffers=128MB']))
  const redis = stack.use(await startRedis(redisPath))
  await measureCommits(postgres)

  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html' } }),
  })
  const setups: Setup[] = []
  for (const users of USERS) {
    for (const processes of [0, ...PROCESSES]) {
      setups.push(
        await openSetup(stack, {
          users,
          processes,
          connections: Number(connections),
          originPort: origin.port!,
          postgres,
          redis,
        }),
      )
    }
  }
  for (let round = 0; round <= Number(rounds); round++) {
    for (const setup of setups) {
      const result = await setup.load()
      // The first round is a warm-up.
      if (round > 0) setup.rounds.push(result)
    }
  }
  for (const setup of setups) await print(setup)
}

interface SetupOptions {
  users: number
  /** 0 for one process in the embedded mode. */
  processes: number
  connections: number
  originPort: number
  postgres: PostgresServer
  redis: RedisServer
}

async function openSetup(stack: AsyncDisposableStack, options: SetupOptions): Promise<Setup> {
  const { users, processes, connections, originPort, postgres, redis } = options
  const database = processes === 0 ? null : await postgres.createDatabase()
  const env = {
    URLMETA_CHROMIUM: 'off',
    ...(database !== null && {
      URLMETA_DATABASE_URL: database,
      URLMETA_REDIS_URL: redis.url,
      URLMETA_SECRET: 'the-same-on-every-process-of-the-benchmark',
    }),
  }
  const installation = stack.use(createInstallation(originPort, env))
  const keys = Array.from({ length: users }, (_, i) => installation.createKey(`user${i}@example.com`))
  const servers: Server[] = []
  for (let i = 0; i < Math.max(processes, 1); i++) servers.push(stack.use(await installation.start()))
  const path = `/v1/metadata?url=${encodeURIComponent(`http://127.0.0.1:${originPort}/`)}`
  await waitForHit({ pid: 0, url: servers[0]!.base + path, headers: { 'x-api-key': keys[0]! } })

  const script = join(installation.dir, 'keys.lua')
  await Bun.write(script, rotation(keys))
  const kind = processes === 0 ? 'embedded' : `${processes} process${processes > 1 ? 'es' : ''}`
  const setup: Setup = {
    name: `${kind}, ${users} user${users > 1 ? 's' : ''}`,
    servers,
    rounds: [],
    responses: 0,
    sql: database === null ? null : stack.use(new SQL({ url: database, max: 1 })),
    async load() {
      const cpuBefore = cpuOf(servers, postgres, redis)
      const loads = servers.map(({ base }) => wrk(base + path, connections / servers.length, script))
      const results = await Promise.all(loads)
      const cpuAfter = cpuOf(servers, postgres, redis)
      const responses = results.reduce((sum, { requests }) => sum + requests, 0)
      setup.responses += responses
      const each = (name: keyof Round['cpu']) => ((cpuAfter[name] - cpuBefore[name]) / responses) * 1_000
      return {
        perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
        cpu: { urlmeta: each('urlmeta'), postgres: each('postgres'), redis: each('redis') },
      }
    },
  }
  return setup
}

/** A script for wrk that alternates between the keys. */
function rotation(keys: readonly string[]): string {
  return `local keys, i = { ${keys.map((key) => `"${key}"`).join(', ')} }, 0
request = function()
  i = i % #keys + 1
  return wrk.format(nil, nil, { ["x-api-key"] = keys[i] })
end`
}

async function wrk(url: string, connections: number, script: string) {
  const options = ['-t1', `-c${connections}`, `-d${ROUND_SECONDS}s`, '-s', script]
  const child = Bun.spawn(['wrk', ...options, url], { stdout: 'pipe' })
  const report = await child.stdout.text()
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(report)
  return {
    requests: Number(/(\d+) requests in/.exec(report)![1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)![1]),
  }
}

/** CPU milliseconds so far. */
function cpuOf(servers: readonly Server[], postgres: PostgresServer, redis: RedisServer): Round['cpu'] {
  const [main, ...children] = postgres.pids()
  return {
    urlmeta: servers.reduce((total, { pid }) => total + cpuMsOf(pid), 0),
    postgres: cpuMsOfFamily(main, children),
    redis: cpuMsOf(redis.pid()),
  }
}

async function print({ name, servers, rounds, responses, sql }: Setup) {
  const of = (read: (round: Round) => number) => median(rounds.map(read))
  const perSecond = of((round) => round.perSecond)
  const { urlmeta, postgres, redis } = {
    urlmeta: of(({ cpu }) => cpu.urlmeta),
    postgres: of(({ cpu }) => cpu.postgres),
    redis: of(({ cpu }) => cpu.redis),
  }
  let line = `${name}: ${Math.round(perSecond)}/s, CPU per response: urlmeta ${urlmeta.toFixed(1)} µs`
  if (sql !== null) {
    const batches = await batchesOf(servers)
    // A connection reports its last transactions when it is closed.
    for (const server of servers) await server.stop()
    const [{ transactions }] = await sql`
      SELECT xact_commit AS transactions FROM pg_stat_database WHERE datname = current_database()`
    const rateOf = (count: number) => Math.round((perSecond * count) / responses)
    line +=
      `, PostgreSQL ${postgres.toFixed(1)} µs, Redis ${redis.toFixed(1)} µs; ${rateOf(Number(transactions))} transactions/s, ` +
      `${rateOf(batches)} of them writes with ${(responses / batches).toFixed(1)} responses each`
  }
  console.log(line)
}

/** The number of usage batches so far. All other transactions only read keys. */
async function batchesOf(servers: readonly Server[]): Promise<number> {
  let batches = 0
  for (const { base } of servers) {
    const metrics = await (await fetch(`${base}/metrics`)).text()
    batches += Number(/^urlmeta_usage_batch_size_count (\d+)$/m.exec(metrics)![1])
  }
  return batches
}

/** Measures the maximum commit rate of PostgreSQL on this disk, with one row per connection. */
async function measureCommits(postgres: PostgresServer) {
  await using sql = new SQL({ url: await postgres.createDatabase(), max: Math.max(...PROCESSES) })
  await sql`CREATE TABLE counts (id integer PRIMARY KEY, n integer NOT NULL)`
  for (const connections of [1, Math.max(...PROCESSES)]) {
    const endMs = performance.now() + COMMIT_SECONDS * 1_000
    let commits = 0
    const commit = async (id: number) => {
      while (performance.now() < endMs) {
        await sql`INSERT INTO counts VALUES (${id}, 1) ON CONFLICT (id) DO UPDATE SET n = counts.n + 1`
        commits++
      }
    }
    await Promise.all(Array.from({ length: connections }, (_, id) => commit(id)))
    console.log(`PostgreSQL alone, ${connections} concurrent: ${Math.round(commits / COMMIT_SECONDS)} commits/s`)
  }
}
