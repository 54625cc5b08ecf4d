import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'

import { retryAfterSeconds } from '../../src/core/period.ts'
import { RedisUnavailableError, connectRedis, type RedisConnection } from '../../src/store/redis/connection.ts'
import { redisFetchLeases } from '../../src/store/redis/fetch-leases.ts'
import { redisPlaygroundResults } from '../../src/store/redis/playground-results.ts'
import { redisRateLimiter } from '../../src/store/redis/rate-limiter.ts'
import { redisResultCache } from '../../src/store/redis/result-cache.ts'
import { withinMinute } from '../clock-minute.ts'
import { openUntrustedServer } from '../origin/untrusted-server.ts'
import { describeRedis } from '../requirements.ts'
import { freePort } from '../free-port.ts'
import { startRedis, type RedisServer } from '../redis.ts'
import { useCpu } from '../use-cpu.ts'
import { playgroundResultsContract } from './playground-results-contract.ts'
import { rateLimiterContract } from './rate-limiter-contract.ts'
import { resultBoundContract, resultCacheContract } from './result-cache-contract.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const HOUR_MS = 3_600_000

/** The deadline of a command on a busy machine. */
const PATIENT_MS = 5_000

async function until(condition: () => boolean | Promise<boolean>, deadlineMs = 10_000) {
  const endMs = performance.now() + deadlineMs
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error('the condition did not come true')
    await Bun.sleep(5)
  }
}

describeRedis('redis', (executable) => {
  let server: RedisServer
  let connection: RedisConnection
  beforeAll(async () => {
    server = await startRedis(executable)
    connection = await connectRedis({ url: server.url, deadlineMs: PATIENT_MS })
  })
  beforeEach(async () => void (await connection.send('FLUSHALL', [])))
  afterAll(async () => {
    connection[Symbol.dispose]()
    await server[Symbol.asyncDispose]()
  })

  playgroundResultsContract('redis', () => redisPlaygroundResults(connection))
  rateLimiterContract('redis', () => redisRateLimiter(connection, 'caller'))
  const openResults = (maxResults: number) => ({
    results: redisResultCache(connection, { ttlMs: HOUR_MS, maxResults }),
    [Symbol.dispose]: () => {},
  })
  resultCacheContract('redis', openResults)
  resultBoundContract('redis', openResults)

  describe('minute counts', () => {
    test('are exact across connections', async () => {
      using other = await connectRedis({ url: server.url, deadlineMs: PATIENT_MS })
      const limiters = [redisRateLimiter(connection), redisRateLimiter(other)]
      const taken = await Promise.all(
        Array.from({ length: 60 }, (_, i) => limiters[i % 2]!.take([{ key: 'k', limit: 37 }], Date.now())),
      )
      expect(taken.filter(({ allowed }) => allowed)).toHaveLength(37)
    })

    test('continue when the server has lost the script', async () => {
      const limiter = redisRateLimiter(connection)
      const now = Date.now()
      await limiter.take([{ key: 'k', limit: 2 }], now)
      await connection.send('SCRIPT', ['FLUSH'])
      expect(await limiter.take([{ key: 'k', limit: 2 }], now)).toMatchObject({ allowed: true, remaining: 0 })
      expect(connection.status()).toEqual({ isUp: true })
    })

    test('every key expires', async () => {
      await redisRateLimiter(connection).take([{ key: 'k', limit: 2 }], Date.now())
      const keys = (await connection.send('KEYS', ['*'])) as string[]
      expect(keys).toHaveLength(2)
      for (const key of keys) expect(await connection.send('TTL', [key])).toBeGreaterThan(0)
    })

    test('a clock that was hours ahead does not block keys for hours', async () => {
      const limiter = redisRateLimiter(connection, 'caller')
      const now = Date.now()
      const counts = [{ key: 'k', limit: 1 }]
      await limiter.take(counts, now + HOUR_MS)
      expect((await limiter.take(counts, now)).allowed).toBe(true)
    })

    test('a process whose clock is hours ahead does not reset the counts of the others', async () => {
      const limiter = redisRateLimiter(connection, 'caller')
      const now = Date.now()
      const counts = [{ key: 'k', limit: 1 }]
      await limiter.take(counts, now)
      await limiter.take(counts, now + HOUR_MS)
      expect((await limiter.take(counts, now)).allowed).toBe(false)
    })
  })

  test('processes whose clocks differ share a minute, and each gets the time that is left of it', async () => {
    await withinMinute(5)
    const limiter = redisRateLimiter(connection)
    const counts = [{ key: 'k', limit: 1 }]
    const shifts = [90_000, 0, -90_000, HOUR_MS, -HOUR_MS]
    const nowMs = Date.now()
    const taken = await Promise.all(shifts.map((shiftMs) => limiter.take(counts, nowMs + shiftMs)))
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, false, false, false, false])
    const left = taken.map(({ resetsAt }, i) => retryAfterSeconds(resetsAt, nowMs + shifts[i]!))
    expect(new Set(left).size).toBe(1)
    expect(left[0]).toBeWithin(4, 61)
  }, 90_000)

  test('a client that waits for Retry-After is not rejected again if the clock of the process is ahead', async () => {
    const [aheadMs, nowMs] = [450, Date.now()]
    const { resetsAt } = await redisRateLimiter(connection).take([{ key: 'k', limit: 1 }], nowMs + aheadMs)
    const minuteEnd = (Math.floor(nowMs / 60_000) + 1) * 60_000
    expect(resetsAt * 1_000 - aheadMs).toBeGreaterThanOrEqual(minuteEnd)
  })

  describe('results', () => {
    test('a deleted page is announced to each other process once, but not to one that started later', async () => {
      const open = () => redisResultCache(connection, { ttlMs: HOUR_MS, maxResults: 10 })
      const [deleting, other] = [open(), open()]
      expect(await other.deletedPages()).toEqual([])
      for (const page of ['https://a.test/', 'https://b.test/']) {
        await deleting.put(page, { json: '{}', storedAtMs: 1 })
        expect(await deleting.deletePage(page, true)).toBe(1)
        expect(await deleting.deletePage(page, false)).toBe(0)
      }
      expect(await open().deletedPages()).toEqual([])
      expect(await other.deletedPages()).toEqual(['https://a.test/', 'https://b.test/'])
      expect(await other.deletedPages()).toEqual([])
    })

    test('about ten thousand deletions are kept for other processes', async () => {
      const script = "for i = 1, 20000 do redis.call('XADD', 'urlmeta:deleted', '*', 'page', i) end"
      await connection.send('EVAL', [script, '0'])
      await redisResultCache(connection, { ttlMs: HOUR_MS, maxResults: 10 }).deletePage('https://a.test/', true)
      expect(await connection.send('XLEN', ['urlmeta:deleted'])).toBeWithin(10_000, 10_500)
    })

    test('expire without a sweep', async () => {
      const results = redisResultCache(connection, { ttlMs: 30, maxResults: 10 })
      await results.put('k', { json: '{}', storedAtMs: Date.now() })
      await until(async () => (await results.get('k')) === null)
      expect(await connection.send('KEYS', ['urlmeta:result:*'])).toEqual([])
    })

    test('those of a page that cannot be deleted stay in the index', async () => {
      await server.command('ACL', 'SETUSER', 'keeper', 'on', '>pw', '~*', '+@all', '-unlink')
      using keeper = await connectRedis({ url: `redis://keeper:pw@127.0.0.1:${server.port}`, deadlineMs: PATIENT_MS })
      const [denied, allowed] = [keeper, connection].map((c) => redisResultCache(c, { ttlMs: HOUR_MS, maxResults: 10 }))
      await allowed!.put('https://a.test/', { json: '{}', storedAtMs: 1 })
      await expect(denied!.deletePage('https://a.test/', true)).rejects.toThrow('NOPERM')
      expect(await allowed!.deletePage('https://a.test/', true)).toBe(1)
    })

    test('one that the server evicted is not found, and is swept from the index', async () => {
      const results = redisResultCache(connection, { ttlMs: HOUR_MS, maxResults: 10 })
      await results.put('k', { json: '{}', storedAtMs: 1 })
      const [key] = (await connection.send('KEYS', ['urlmeta:result:*'])) as [string]
      await connection.send('DEL', [key])
      expect(await results.get('k')).toBeNull()
      expect(await results.sweep(2, Number.MAX_SAFE_INTEGER)).toBe(1)
      expect(await results.count()).toBe(0)
    })
  })

  describe('fetch leases', () => {
    test('are held by one process until it releases them', async () => {
      using other = await connectRedis({ url: server.url, deadlineMs: PATIENT_MS })
      const [mine, theirs] = [redisFetchLeases(connection), redisFetchLeases(other)]
      const lease = await mine.acquire('k')
      expect(lease).not.toBeNull()
      expect(await theirs.acquire('k')).toBeNull()
      expect(await theirs.acquire('another')).not.toBeNull()
      await lease!.release()
      expect(await theirs.acquire('k')).not.toBeNull()
    })

    test('are renewed while their process runs', async () => {
      const lease = await redisFetchLeases(connection, { expiryMs: 3_000 }).acquire('k')
      const [key] = (await connection.send('KEYS', ['urlmeta:fetch:*'])) as [string]
      const leftMs = async () => (await connection.send('PTTL', [key])) as number
      let least = await leftMs()
      await until(async () => {
        const left = await leftMs()
        const isRenewed = left > least
        least = Math.min(least, left)
        return isRenewed
      })
      await lease!.release()
      expect(await connection.send('EXISTS', [key])).toBe(0)
    })

    test('of a killed process expire', async () => {
      const dead = await connectRedis({ url: server.url, deadlineMs: PATIENT_MS })
      await redisFetchLeases(dead, { expiryMs: 3_000 }).acquire('k')
      dead[Symbol.dispose]()
      const leases = redisFetchLeases(connection)
      expect(await leases.acquire('k')).toBeNull()
      await until(async () => (await leases.acquire('k')) !== null)
    })

    test('of a fetch that never ends are not renewed forever', async () => {
      await redisFetchLeases(connection, { expiryMs: 1_500, maxHeldMs: 0 }).acquire('k')
      const [key] = (await connection.send('KEYS', ['urlmeta:fetch:*'])) as [string]
      const lefts: number[] = []
      // -2 when it has expired. A renewal would be due after 500 ms.
      await until(async () => {
        lefts.push((await connection.send('PTTL', [key])) as number)
        return lefts.at(-1)! < 0
      })
      expect(lefts).toEqual(lefts.toSorted((a, b) => b - a))
    })

    test("releasing an expired one does not release the next owner's", async () => {
      const late = await redisFetchLeases(connection, { expiryMs: 30, maxHeldMs: 0 }).acquire('k')
      let next: Awaited<ReturnType<ReturnType<typeof redisFetchLeases>['acquire']>> = null
      await until(async () => (next = await redisFetchLeases(connection).acquire('k')) !== null)
      await late!.release()
      expect(await redisFetchLeases(connection).acquire('k')).toBeNull()
      await next!.release()
    })
  })
})

describeRedis('the connection to redis', (executable) => {
  /** Connects, and records when the connection is lost and restored. */
  async function watched(url: string, deadlineMs = PATIENT_MS) {
    const events: string[] = []
    const connection = await connectRedis({
      url,
      deadlineMs,
      retryMs: 20,
      onDown: (reason) => events.push(`down: ${reason}`),
      onUp: () => events.push('up'),
    })
    return { connection, events, [Symbol.dispose]: () => connection[Symbol.dispose]() }
  }

  test('a server that is killed and restarted: down once, commands fail immediately, up automatically', async () => {
    await using server = await startRedis(executable)
    using place = await watched(server.url)
    const { connection, events } = place
    expect(await connection.send('SET', ['k', 'v'])).toBe('OK')
    await server.kill()
    await until(() => !connection.status().isUp)
    await expect(connection.send('GET', ['k'])).rejects.toBeInstanceOf(RedisUnavailableError)
    await server.start()
    await until(() => connection.status().isUp)
    expect(await connection.send('SET', ['k', 'w'])).toBe('OK')
    expect(events).toEqual(['down: Connection closed', 'up'])
  })

  test('a server that stops responding: one deadline, then nothing waits; up when it continues', async () => {
    await using server = await startRedis(executable)
    using place = await watched(server.url, 1_000)
    const { connection, events } = place
    server.pause()
    await expect(connection.send('GET', ['k'])).rejects.toThrow('no response within 1000 ms')
    await until(() => !connection.status().isUp)
    const pending = connection.send('GET', ['k']).then(
      () => 'answered',
      () => 'failed',
    )
    const turns = new Promise((resolve) => setImmediate(() => setImmediate(() => resolve('waiting'))))
    expect(await Promise.race([pending, turns])).toBe('failed')
    server.resume()
    await until(() => connection.status().isUp)
    expect(events).toEqual(['down: no response within 1000 ms', 'up'])
  })

  test('a response is used although this process was busy when the deadline passed', async () => {
    await using server = await startRedis(executable)
    using place = await watched(server.url, 1_000)
    server.pause()
    const pending = place.connection.send('ECHO', ['late'])
    useCpu(1_300)
    server.resume()
    expect([await pending, place.events]).toEqual(['late', []])
  })

  test('a server that accepts and never responds: down at start, after one deadline', async () => {
    using hostile = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    using place = await watched(`redis://127.0.0.1:${hostile.port}`, 300)
    expect(place.connection.status().isUp).toBe(false)
    expect(place.events).toHaveLength(1)
  })

  test('a server with another protocol is not used', async () => {
    using hostile = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
    })
    using place = await watched(`redis://127.0.0.1:${hostile.port}`)
    expect(place.connection.status().isUp).toBe(false)
  })

  test('a server that closes connections is not connected to in a loop', async () => {
    let connections = 0
    using hostile = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open(socket) {
          connections++
          socket.end()
        },
        data() {},
      },
    })
    using _ = await connectRedis({ url: `redis://127.0.0.1:${hostile.port}` })
    for (let i = 0; i < 100; i++) await Bun.sleep(1)
    // One more for each second that a busy machine takes.
    expect(connections).toBeWithin(1, 10)
  })

  test('a port without a server: down at start', async () => {
    using place = await watched(`redis://127.0.0.1:${freePort()}`)
    expect(place.connection.status()).toEqual({
      isUp: false,
      reason: 'no connection, or a wrong password or certificate',
    })
  })

  test('an untrusted certificate: nothing is sent', async () => {
    using server = await openUntrustedServer()
    using place = await watched(`rediss://:password@127.0.0.1:${server.port}`)
    expect(place.connection.status()).toMatchObject({ isUp: false, reason: expect.stringContaining('certificate') })
    expect(server.receivedBytes()).toBe(0)
  })

  test('a full server that rejects writes is not used until it accepts them', async () => {
    await using server = await startRedis(executable)
    using place = await watched(server.url)
    await server.command('CONFIG', 'SET', 'maxmemory', '1')
    await expect(place.connection.send('SET', ['k', 'v'])).rejects.toThrow('OOM')
    await until(() => !place.connection.status().isUp)
    await server.command('CONFIG', 'SET', 'maxmemory', '0')
    await until(() => place.connection.status().isUp)
    expect(place.events.map((event) => event.slice(0, 9))).toEqual(['down: OOM', 'up'])
  })

  test('a user without permission to run scripts: down once, not repeatedly', async () => {
    await using server = await startRedis(executable)
    await server.command('ACL', 'SETUSER', 'reader', 'on', '>pw', '~*', '+@all', '-@scripting')
    using place = await watched(`redis://reader:pw@127.0.0.1:${server.port}`)
    const isRetried = async () =>
      /cmdstat_eval:.*rejected_calls=(?:[3-9]|\d{2,})\b/.test(String(await server.command('INFO', 'commandstats')))
    await until(isRetried)
    expect(place.events).toEqual([expect.stringMatching(/^down: NOPERM/)])
  })

  test.each([
    ['the documented permissions', '~urlmeta:*', true],
    ['permissions for other keys', '~other:*', false],
  ])('a user with %s', async (_, keys, isUp) => {
    await using server = await startRedis(executable)
    const rights = [keys, '+@read', '+@write', '+@scripting', '+@connection']
    await server.command('ACL', 'SETUSER', 'meta', 'on', '>pw', ...rights)
    using place = await watched(`redis://meta:pw@127.0.0.1:${server.port}`)
    expect(place.connection.status().isUp).toBe(isUp)
  })

  describe('the URL with', () => {
    test.each([
      ['a password', (port: number) => `redis://:p%40s%2Fs@127.0.0.1:${port}`, true],
      ['a user and a password', (port: number) => `redis://default:p%40s%2Fs@127.0.0.1:${port}`, true],
      ['a wrong password', (port: number) => `redis://:wrong@127.0.0.1:${port}`, false],
      ['no password', (port: number) => `redis://127.0.0.1:${port}`, false],
      ['a database', (port: number) => `redis://:p%40s%2Fs@127.0.0.1:${port}/3`, true],
      ['a database that does not exist', (port: number) => `redis://:p%40s%2Fs@127.0.0.1:${port}/99`, false],
    ])('%s', async (_, urlOf, isUp) => {
      await using server = await startRedis(executable, ['--requirepass', 'p@s/s'])
      using place = await watched(urlOf(server.port))
      expect(place.connection.status().isUp).toBe(isUp)
    })
  })
})
