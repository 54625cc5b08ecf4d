import { Agent, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { LRUCache } from 'lru-cache'

/**
 * How long an idle connection is kept. Servers close theirs after 5 s (Node) to 75 s (nginx): ending ours first makes it
 * rare that a request meets a connection that the server is just closing.
 */
const MAX_IDLE_MS = 4_000

/** Idle connections in all; each holds a file descriptor and, with TLS, some 40 KB. */
const MAX_IDLE = 256

/** More requests to one server at the same time are rare; the rest of them connect anew. */
const MAX_IDLE_PER_SERVER = 8

/**
 * The rest of an answer that is read and thrown away so that its connection can be kept. More would take longer than
 * connecting anew; mostly it has arrived already.
 */
const MAX_DRAINED_BYTES = 131_072
const MAX_DRAIN_MS = 1_000

/** Answers whose rest is read at the same time; it happens behind the back of the limits on requests. */
const MAX_DRAINING = 32

/** TLS sessions that can be resumed: 700 bytes each. */
const MAX_SESSIONS = 2_000

/** A resumed session does not check again when its certificate expires, so it must not be old. */
const MAX_SESSION_AGE_MS = 5 * 60 * 1_000

/** What a connection consists of. */
export interface OpenedConnection {
  /** What HTTP is spoken over. */
  socket: Socket
  /** The TCP connection: `socket` itself, or what its TLS runs over. */
  transport: Socket
  address: string
  /** Version of TLS, for https. */
  tls?: string | undefined
}

/**
 * An open connection to one server, for one request after the other. It is an `Agent`, since that is how node:http hands
 * a connection back once an answer was read to its end.
 */
export class Connection extends Agent {
  readonly socket: Socket
  readonly transport: Socket
  readonly address: string
  readonly tls: string | undefined
  readonly #onIdle: (connection: Connection) => boolean
  isReused = false
  #mayBeKept = true

  /** @param onIdle whether it is kept */
  constructor({ socket, transport, address, tls }: OpenedConnection, onIdle: (connection: Connection) => boolean) {
    super({ keepAlive: true })
    this.socket = socket
    this.transport = transport
    this.address = address
    this.tls = tls
    this.#onIdle = onIdle
    socket.once('close', () => transport.destroy())
  }

  override createConnection(): Socket {
    return this.socket
  }

  override getName(): string {
    return ''
  }

  /** Called by `Agent` when the answer was read to its end and neither side asked to close; false closes. */
  override keepSocketAlive(): boolean {
    return this.#mayBeKept && this.#onIdle(this)
  }

  /**
   * Closes after this answer if parsers may disagree where it ends (RFC 9112 section 6.3). The parser is lenient, so what
   * one server leaves behind could otherwise pass for its next answer.
   */
  checkFraming({ headers, httpVersion }: IncomingMessage): void {
    const isChunked = headers['transfer-encoding']?.toLowerCase() === 'chunked'
    const hasLength = /^\d+$/.test(headers['content-length'] ?? '')
    const isFramed = headers['transfer-encoding'] === undefined ? hasLength : isChunked && !hasLength
    if (!isFramed || httpVersion !== '1.1') this.#mayBeKept = false
  }

  close(): void {
    this.socket.destroy()
    this.transport.destroy()
  }
}

/** Connections of one URL's origin (scheme, name and port) at one address: the two that the guard has judged together. */
interface ServerKey {
  origin: string
  address: string
}

/**
 * Idle connections and TLS sessions, for further requests to the same origin at the same address. Whether a request may
 * go there is decided anew each time; only the addresses it was allowed are looked up here.
 */
export interface Connections extends Disposable {
  /** Takes an idle connection to one of the addresses. */
  take(origin: string, addresses: readonly string[]): Connection | null
  /** A connection that was just opened; it comes back here when it is idle. */
  add(origin: string, opened: OpenedConnection): Connection
  /**
   * Reads the rest of an answer in the background, if that is short.
   * @param received bytes of the answer so far
   * @returns false when it is not worth it: then the connection is to be closed
   */
  drain(connection: Connection, answer: IncomingMessage, received: number): boolean
  session(server: ServerKey): Buffer | undefined
  /** Remembers the sessions that the server offers on this connection. */
  watchSessions(server: ServerKey, socket: TLSSocket): void
}

export function createConnections(): Connections {
  const idle = new Map<string, { connection: Connection; forget(): void }[]>()
  const draining = new Set<Connection>()
  const sessions = new LRUCache<string, Buffer>({ max: MAX_SESSIONS, ttl: MAX_SESSION_AGE_MS })
  let idleCount = 0
  let isDisposed = false

  /** False when there is no room for it. */
  function keep(key: string, connection: Connection): boolean {
    const list = idle.get(key) ?? []
    if (isDisposed || idleCount >= MAX_IDLE || list.length >= MAX_IDLE_PER_SERVER) return false
    const { socket } = connection
    // A server that says anything now, even that it closes, has no more use for it.
    const close = () => {
      forget()
      connection.close()
    }
    const timer = setTimeout(close, MAX_IDLE_MS).unref()
    const events = ['data', 'end', 'error', 'close'] as const
    const entry = { connection, forget }
    function forget() {
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
    take(origin, addresses) {
      for (const address of addresses) {
        const entry = idle.get(keyOf({ origin, address }))?.at(-1)
        if (entry === undefined) continue
        entry.forget()
        entry.connection.isReused = true
        return entry.connection
      }
      return null
    },
    add(origin, opened) {
      const key = keyOf({ origin, address: opened.address })
      return new Connection(opened, (connection) => keep(key, connection))
    },
    drain(connection, answer, received) {
      const rest = Number(answer.headers['content-length'] ?? 0) - received
      if (isDisposed || answer.destroyed || rest > MAX_DRAINED_BYTES || draining.size >= MAX_DRAINING) return false
      draining.add(connection)
      const timer = setTimeout(() => connection.close(), MAX_DRAIN_MS)
      let drained = 0
      answer.on('data', (chunk: Uint8Array) => {
        drained += chunk.length
        if (drained > MAX_DRAINED_BYTES) connection.close()
      })
      answer.once('close', () => {
        clearTimeout(timer)
        draining.delete(connection)
      })
      answer.resume()
      return true
    },
    session: (server) => sessions.get(keyOf(server)),
    watchSessions(server, socket) {
      socket.on('session', (session) => sessions.set(keyOf(server), session))
    },
    [Symbol.dispose]() {
      isDisposed = true
      for (const connection of draining) connection.close()
      for (const entry of [...idle.values()].flat()) {
        entry.forget()
        entry.connection.close()
      }
    },
  }
}

function keyOf({ origin, address }: ServerKey): string {
  return `${origin} ${address}`
}
