import { messageOf } from '../../core/errors.ts'

/** Redis or Valkey cannot be used now; the message says why. */
export class RedisUnavailableError extends Error {
  override name = 'RedisUnavailableError'
}

/** Whether Redis can be used, and if not, why. */
export type RedisStatus = { isUp: true } | { isUp: false; reason: string }

/**
 * A connection to one Redis or Valkey server. After any failure it is down: commands fail at once, without waiting,
 * until a new connection has proved in the background that it reads and writes.
 */
export interface RedisConnection extends Disposable {
  status(): RedisStatus
  /**
   * Commands of one turn of the event loop are sent together, so that they take one round trip.
   * @throws RedisUnavailableError at the latest after the deadline; ScriptMissingError for EVALSHA
   */
  send(command: string, args: readonly string[]): Promise<unknown>
}

/** EVALSHA of a script that the server does not have, such as after its restart. */
export class ScriptMissingError extends Error {
  override name = 'ScriptMissingError'
}

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://[user:password@]host[:port][/database]`. */
  url: string
  onDown?: (reason: string) => void
  onUp?: () => void
  /** Milliseconds for a command. */
  deadlineMs?: number
  /** Milliseconds between two attempts to connect. */
  retryMs?: number
}

/**
 * A command takes well under a millisecond, and some 100 ms while the server forks to save. Once in an outage, a request
 * waits this long; it is a tenth of the default timeout of a fetch.
 */
export const REDIS_DEADLINE_MS = 500

/** Requests do not wait for it; it only sets how soon Redis is used again. */
const RETRY_MS = 1_000

/** Reconnecting is done here, with a new client each time: the one of Bun gives no reason and has no deadline. */
const CLIENT_OPTIONS = { autoReconnect: false, enableOfflineQueue: false } as const

/** Written by the probe of a new connection, by a script like everything that counts. */
const PROBE_KEY = 'urlmeta:probe'
const PROBE_SCRIPT = `return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`
const PROBE_TTL_MS = '1000'

/**
 * Connects. When that fails, the connection is returned all the same, and is down: a server must be able to start
 * without Redis.
 */
export async function connectRedis(options: RedisConnectionOptions): Promise<RedisConnection> {
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
    goDown(error)
  }

  function goDown(error: unknown): void {
    if (isClosed) return
    reason = messageOf(error)
    if (!isReported) onDown(reason)
    isReported = true
    retry = setTimeout(() => void open(), retryMs)
  }

  async function open(): Promise<void> {
    const candidate = new Bun.RedisClient(url, { ...CLIENT_OPTIONS, connectionTimeout: deadlineMs })
    try {
      await answerOf(candidate.connect(), deadlineMs).catch(explainRefusal)
      await probe(candidate, deadlineMs)
    } catch (error) {
      candidate.close()
      goDown(error)
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
    status: () => (client === null ? { isUp: false, reason } : { isUp: true }),

    async send(command, args) {
      await endOfTurn()
      const used = client
      if (used === null) throw new RedisUnavailableError(reason)
      try {
        return await answerOf(used.send(command, [...args]), deadlineMs)
      } catch (error) {
        if (messageOf(error).startsWith('NOSCRIPT')) throw new ScriptMissingError(messageOf(error))
        // Errors of the server count too: a full one, or one that became a replica, is of no use.
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
 * Resolves at the end of this turn of the event loop, for all who wait for it one after the other: the client writes
 * what it is given without a break at once, and requests of different connections come with breaks.
 */
function turns(): () => Promise<void> {
  let turn: Promise<void> | null = null
  return () =>
    (turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = null
        resolve()
      })
    }))
}

/** Whether the server answers this connection's questions, runs scripts and takes writes. @throws Error when it does not */
async function probe(client: Bun.RedisClient, deadlineMs: number): Promise<void> {
  const token = crypto.randomUUID()
  await answerOf(client.send('EVAL', [PROBE_SCRIPT, '1', PROBE_KEY, token, PROBE_TTL_MS]), deadlineMs)
  const echo = await answerOf(client.send('ECHO', [token]), deadlineMs)
  if (echo !== token) throw new Error('it does not answer like Redis')
}

/** Bun closes the connection without a reason when it is refused, and when password or certificate are wrong. */
function explainRefusal(error: unknown): never {
  const isClosed = messageOf(error) === 'Connection closed'
  throw isClosed ? new Error('no connection, or a wrong password or certificate', { cause: error }) : error
}

/** @throws RedisUnavailableError after `deadlineMs` */
function answerOf<T>(answer: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new RedisUnavailableError(`no answer within ${deadlineMs} ms`))
    // When this process itself was busy for so long, the answer may have arrived and is only not read yet.
    const timer = setTimeout(() => setImmediate(fail), deadlineMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
