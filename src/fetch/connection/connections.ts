import { Agent, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { LRUCache } from 'lru-cache'

import { MINUTE_MS } from '../../core/duration.ts'

/**
 * How long an idle connection is kept. Servers close idle connections after 5 s (Node) to 75 s (nginx). Closing them
 * earlier makes it rare that a request is sent while the server closes its connection.
 */
const MAX_IDLE_MS = 4_000

/** The maximum number of idle connections. Each holds a file descriptor and, with TLS, about 40 KB. */
const MAX_IDLE = 256

/**
 * Concurrent requests for pages of a host, and idle connections to a server. Enough for several users of one popular
 * site. More could look like an attack.
 */
export const MAX_REQUESTS_PER_HOST = 16

/** The maximum number of bytes to read so that a connection can be reused. More would take longer than a new one. */
const MAX_DRAINED_BYTES = 131_072
const MAX_DRAIN_MS = 1_000

/** The maximum number of responses drained at the same time, in addition to the limits on requests. */
const MAX_DRAINING = 32

/** TLS sessions kept for resumption, in bytes. Each has the server's certificates: some kilobytes, but 60 KB if it wants. */
const MAX_SESSION_BYTES = 8 * 1024 * 1024

/** Resuming a session does not check the expiry of the certificate again, so old sessions are not resumed. */
const MAX_SESSION_AGE_MS = 5 * MINUTE_MS

/** The sockets of a new connection. */
export interface OpenedConnection {
  /** The socket for HTTP. */
  socket: Socket
  /** The TCP connection: `socket` itself, or the one below its TLS. */
  transport: Socket
  address: string
  /** The TLS version, for https. */
  tls?: string | undefined
}

/** An open connection for consecutive requests. An `Agent`, because node:http returns a connection to its agent. */
export class Connection extends Agent {
  isReused = false
  #mayBeKept = true

  /** @param onIdle returns whether the idle connection is kept */
  constructor(
    readonly opened: OpenedConnection,
    private readonly onIdle: (connection: Connection) => boolean,
  ) {
    super({ keepAlive: true })
    opened.socket.once('close', () => opened.transport.destroy())
  }

  override createConnection(): Socket {
    return this.opened.socket
  }

  override getName(): string {
    return ''
  }

  /** Called by `Agent` when the response was read to its end and neither side requested to close; false closes it. */
  override keepSocketAlive(): boolean {
    return this.#mayBeKept && this.onIdle(this)
  }

  /**
   * Closes the connection after this response if parsers may disagree on where it ends (RFC 9112 section 6.3). The
   * parser is lenient, so remaining bytes could otherwise be taken for the next response.
   */
  checkFraming({ headers, httpVersion }: IncomingMessage): void {
    const isChunked = headers['transfer-encoding']?.toLowerCase() === 'chunked'
    const hasLength = /^\d+$/.test(headers['content-length'] ?? '')
    const isFramed = headers['transfer-encoding'] === undefined ? hasLength : isChunked && !hasLength
    if (!isFramed || httpVersion !== '1.1') this.#mayBeKept = false
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
  const draining = new Set<Connection>()
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
    list.push(entry)
    idle.set(key, list)
    idleCount++
    return true
  }

  return {
    /** Takes an idle connection to one of the addresses. */
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
     * @param received bytes of the response so far
     * @returns false if it is too long; the caller must close the connection
     */
    drain(connection: Connection, response: IncomingMessage, received: number): boolean {
      const rest = Number(response.headers['content-length'] ?? 0) - received
      if (isDisposed || response.destroyed || rest > MAX_DRAINED_BYTES || draining.size >= MAX_DRAINING) return false
      draining.add(connection)
      const timer = setTimeout(() => connection.close(), MAX_DRAIN_MS)
      let drained = 0
      response.on('data', (chunk: Uint8Array) => {
        drained += chunk.length
        if (drained > MAX_DRAINED_BYTES) connection.close()
      })
      response.once('close', () => {
        clearTimeout(timer)
        draining.delete(connection)
      })
      response.resume()
      return true
    },
    session: (server: ServerKey) => sessions.get(keyOf(server)),
    /** Stores the sessions that the server offers on this connection. */
    watchSessions(server: ServerKey, socket: TLSSocket) {
      socket.on('session', (session) => sessions.set(keyOf(server), session))
    },
    [Symbol.dispose]() {
      isDisposed = true
      for (const connection of draining) connection.close()
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
