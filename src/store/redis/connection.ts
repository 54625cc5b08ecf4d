import { messageOf } from '../../core/errors.ts'

/** The server is Redis or Valkey. The message has the reason. */
export class RedisUnavailableError extends Error {
  override name = 'RedisUnavailableError'
}

/**
 * A connection to one Redis or Valkey server. After any failure, commands fail immediately until a new connection, which
 * is opened in the background, has been able to read and write.
 */
export type RedisConnection = Awaited<ReturnType<typeof connectRedis>>

/** The server does not have the script of an EVALSHA, for example after a restart. */
export class ScriptMissingError extends Error {
  override name = 'ScriptMissingError'
}

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://[user:password@]host[:port][/database]`. */
  url: string
  onDown?: (reason: string) => void
  onUp?: () => void
  /** The timeout of a command in milliseconds. The timeout is doubled if this process was busy meanwhile. */
  deadlineMs?: number | undefined
  /** Milliseconds between two attempts to connect. */
  retryMs?: number
}

/**
 * A command takes well under a millisecond, or about 100 ms while the server forks to save. In an outage, one request
 * waits this long, which is a tenth of the default timeout of a fetch.
 */
export const REDIS_DEADLINE_MS = 500

/** The interval between attempts to connect, in milliseconds. Requests do not wait for an attempt. */
const RETRY_MS = 1_000

/** Each attempt uses a new client, because the reconnection of Bun's client has no deadline and reports no reason. */
const CLIENT_OPTIONS = { autoReconnect: false, enableOfflineQueue: false } as const

/** Written to test a new connection, by a script, because the rate limits are scripts too. */
const PROBE_KEY = 'urlmeta:probe'
const PROBE_SCRIPT = `return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`
const PROBE_TTL_MS = '1000'

/** Also returns a failed connection, as unavailable, because a server must be able to start without Redis. */
export async function connectRedis(options: RedisConnectionOptions) {
  const { url, onDown = () => {}, onUp = () => {}, deadlineMs = REDIS_DEADLINE_MS, retryMs = RETRY_MS } = options
  let client: Bun.RedisClient | null = null
  let reason = 'not connected yet'
  let isReported = false
  let isClosed = false
  let retry: Timer | undefined
  const endOfTurn = turns()

  function lose(lost: Bun.RedisClient, error: unknown): void {
    if (client !== lost) return
    client = null
    lost.close()
    markUnavailable(error)
  }

  function markUnavailable(error: unknown): void {
    if (isClosed) return
    reason = messageOf(error)
    if (!isReported) onDown(reason)
    isReported = true
    retry = setTimeout(() => void open(), retryMs)
  }

  async function open(): Promise<void> {
    const candidate = new Bun.RedisClient(url, { ...CLIENT_OPTIONS, connectionTimeout: 2 * deadlineMs + LATE_MS })
    try {
      await withDeadline(candidate.connect(), deadlineMs).catch(explainRefusal)
      await probe(candidate, deadlineMs)
    } catch (error) {
      candidate.close()
      markUnavailable(error)
      return
    }
    if (isClosed) return candidate.close()
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it has no such method
    candidate.onclose = (error) => lose(candidate, error)
    client = candidate
    if (isReported) onUp()
    isReported = false
  }

  await open()
  return {
    /** `reason` says why Redis is unavailable. */
    status: () => (client === null ? { isUp: false as const, reason } : { isUp: true as const }),

    /**
     * Commands of one turn of the event loop are sent together, so that they take one round trip.
     * @throws RedisUnavailableError after the deadline, or twice that if this process was busy; ScriptMissingError
     */
    async send(command: string, args: readonly string[]): Promise<unknown> {
      await endOfTurn()
      const used = client
      if (used === null) throw new RedisUnavailableError(reason)
      try {
        return await withDeadline(used.send(command, [...args]), deadlineMs)
      } catch (error) {
        if (messageOf(error).startsWith('NOSCRIPT')) throw new ScriptMissingError(messageOf(error))
        // An error reply also makes the connection unavailable: a server that is full or has become a replica cannot be
        // used.
        lose(used, error)
        throw new RedisUnavailableError(messageOf(error), { cause: error })
      }
    },

    [Symbol.dispose]() {
      isClosed = true
      clearTimeout(retry)
      const used = client
      client = null
      used?.close()
    },
  }
}

/**
 * Resolves for all callers of one turn of the event loop, directly one after the other, at the end of the turn. Bun's
 * client writes commands together only if they are sent without a break in between.
 */
function turns(): () => Promise<void> {
  let turn: Promise<void> | null = null
  return () => (turn ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => void (turn = null)))
}

/** Tests that the server responds on this connection, runs scripts and accepts writes. @throws Error if it does not */
async function probe(client: Bun.RedisClient, deadlineMs: number): Promise<void> {
  const token = crypto.randomUUID()
  await withDeadline(client.send('EVAL', [PROBE_SCRIPT, '1', PROBE_KEY, token, PROBE_TTL_MS]), deadlineMs)
  const echo = await withDeadline(client.send('ECHO', [token]), deadlineMs)
  if (echo !== token) throw new Error('the response is not that of Redis')
}

/** Bun reports only a closed connection if the connection is refused, or if the password or certificate is wrong. */
function explainRefusal(error: unknown): never {
  const isClosed = messageOf(error) === 'Connection closed'
  throw isClosed ? new Error('no connection, or a wrong password or certificate', { cause: error }) : error
}

/** A timer that fires more than this many milliseconds late shows that this process was busy or suspended. */
const LATE_MS = 100

/** @throws RedisUnavailableError after `deadlineMs`, or after twice `deadlineMs` if this process was busy meanwhile */
function withDeadline<T>(reply: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new RedisUnavailableError(`no response within ${deadlineMs} ms`))
    const wait = (isLast: boolean) => {
      const dueMs = performance.now() + deadlineMs
      return setTimeout(() => {
        if (!isLast && performance.now() > dueMs + LATE_MS) timer = wait(true)
        // A response that has arrived is read before `setImmediate` runs.
        else setImmediate(fail)
      }, deadlineMs)
    }
    let timer = wait(false)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
