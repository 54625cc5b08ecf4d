import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { LRUCache } from 'lru-cache'

import { MINUTE_MS } from '../../core/duration.ts'
import type { ResponseReader } from './response-reader.ts'

/**
 * How long an idle connection is kept. Servers close idle connections after 5 s (Node) to 75 s (nginx). Closing them
 * earlier makes it rare that a request is sent while the server closes its connection.
 */
const MAX_IDLE_MS = 4_000

/** The maximum number of idle connections. Each holds a file descriptor and, with TLS, about 40 KB. */
const MAX_IDLE = 256

/**
 * The maximum number of concurrent requests for pages of a host, and of idle connections to a server. This is enough
 * for several users of one popular site; more could look like an attack.
 */
export const MAX_REQUESTS_PER_HOST = 16

/**
 * The maximum number of bytes to read so that a connection can be reused. Reading more would take longer than
 * connecting.
 */
const MAX_DRAINED_BYTES = 131_072
const MAX_DRAIN_MS = 1_000

/**
 * The maximum numbers of responses drained at the same time, in addition to the limits on requests. A user's further
 * connections are closed, and the next pages of their hosts connect anew.
 */
const MAX_DRAINING = 32
const MAX_DRAINING_PER_USER = 8

/**
 * The maximum size of all TLS sessions kept for resumption. Each contains the server's certificates: usually some
 * kilobytes, but a server can send 60 KB.
 */
const MAX_SESSION_BYTES = 8 * 1024 * 1024

/** Resuming a session does not check the expiry of the certificate again, so old sessions are not resumed. */
const MAX_SESSION_AGE_MS = 5 * MINUTE_MS

export interface OpenedConnection {
  /** The socket for HTTP. */
  socket: Socket
  /** The TCP connection: `socket` itself, or the connection below its TLS. */
  transport: Socket
  address: string
  /** The TLS version; absent for http. */
  tls?: string | undefined
}

/** An open connection for consecutive requests. */
export class Connection {
  isReused = false

  /** @param onIdle returns whether the idle connection is kept */
  constructor(
    readonly opened: OpenedConnection,
    private readonly onIdle: (connection: Connection) => boolean,
  ) {
    opened.socket.once('close', () => opened.transport.destroy())
  }

  /** Called with the last byte of a response. */
  end(mayBeKept: boolean): void {
    if (!mayBeKept || !this.onIdle(this)) this.close()
  }

  close(): void {
    this.opened.socket.destroy()
    this.opened.transport.destroy()
  }
}

/** A URL's origin (scheme, host and port) and one of its addresses. The guard checks the two together. */
interface ServerKey {
  origin: string
  address: string
}

export type Connections = ReturnType<typeof createConnections>

/** Idle connections and TLS sessions by origin and address. The guard has already allowed these addresses. */
export function createConnections() {
  const idle = new Map<string, { connection: Connection; untrack(): void }[]>()
  /** The user of each connection. */
  const draining = new Map<Connection, string | null>()
  const sessions = new LRUCache<string, Buffer>({
    maxSize: MAX_SESSION_BYTES,
    sizeCalculation: (session, key) => session.length + key.length,
    ttl: MAX_SESSION_AGE_MS,
  })
  let idleCount = 0
  let isDisposed = false

  /** False when a limit is reached. */
  function keep(key: string, connection: Connection): boolean {
    const list = idle.get(key) ?? []
    if (isDisposed || idleCount >= MAX_IDLE || list.length >= MAX_REQUESTS_PER_HOST) return false
    const { socket } = connection.opened
    if (socket.destroyed) return false
    // Anything that arrives on an idle connection, even its end, makes it unusable.
    const close = () => {
      untrack()
      connection.close()
    }
    const timer = setTimeout(close, MAX_IDLE_MS).unref()
    const events = ['data', 'end', 'error', 'close'] as const
    const entry = { connection, untrack }
    function untrack() {
      clearTimeout(timer)
      for (const event of events) socket.off(event, close)
      list.splice(list.indexOf(entry), 1)
      if (list.length === 0) idle.delete(key)
      idleCount--
    }
    for (const event of events) socket.on(event, close)
    // The consumer of the last response may have paused it.
    socket.resume()
    list.push(entry)
    idle.set(key, list)
    idleCount++
    return true
  }

  function isDrainLimitReached(user: string | null): boolean {
    const own = draining.values().filter((other) => other === user)
    return draining.size >= MAX_DRAINING || own.toArray().length >= MAX_DRAINING_PER_USER
  }

  return {
    /** Takes an idle connection to one of the addresses; null if there is none. */
    take(origin: string, addresses: readonly string[]): Connection | null {
      for (const address of addresses) {
        const entry = idle.get(keyOf({ origin, address }))?.at(-1)
        if (entry === undefined) continue
        entry.untrack()
        entry.connection.isReused = true
        return entry.connection
      }
      return null
    },
    /** Wraps a new connection, which is kept here when it becomes idle. */
    add(origin: string, opened: OpenedConnection): Connection {
      const key = keyOf({ origin, address: opened.address })
      return new Connection(opened, (connection) => keep(key, connection))
    },
    /**
     * Reads the rest of a response in the background, if it is short.
     * @returns false if the rest is not read; the caller must then close the connection
     */
    drain(connection: Connection, reader: ResponseReader, user: string | null): boolean {
      const { socket } = connection.opened
      const isShort = (reader.bytesLeft ?? 0) <= MAX_DRAINED_BYTES
      if (isDisposed || socket.destroyed || !reader.mayBeKept || !isShort || isDrainLimitReached(user)) return false
      draining.set(connection, user)
      const timer = setTimeout(() => connection.close(), MAX_DRAIN_MS)
      let drained = 0
      const stop = () => {
        clearTimeout(timer)
        draining.delete(connection)
        socket.off('close', stop)
      }
      socket.once('close', stop)
      reader.discardRest(stop, (bytes) => {
        drained += bytes
        if (drained > MAX_DRAINED_BYTES) connection.close()
      })
      return true
    },
    session: (server: ServerKey) => sessions.get(keyOf(server)),
    /** Stores the sessions that the server offers on this connection. */
    watchSessions(server: ServerKey, socket: TLSSocket) {
      socket.on('session', (session) => sessions.set(keyOf(server), session))
    },
    [Symbol.dispose]() {
      isDisposed = true
      for (const connection of draining.keys()) connection.close()
      for (const entry of [...idle.values()].flat()) {
        entry.untrack()
        entry.connection.close()
      }
    },
  }
}

function keyOf({ origin, address }: ServerKey): string {
  return `${origin} ${address}`
}
