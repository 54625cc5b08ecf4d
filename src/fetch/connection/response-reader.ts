import type { Socket } from 'node:net'
import { Readable } from 'node:stream'

import { FetchError } from '../../core/errors.ts'
import { BodyBuffer } from '../response/body-buffer.ts'
import type { HttpResponse } from '../response/http-response.ts'
import { MAX_HEAD_BYTES } from '../response/limits.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import { endOfHead, parseHead, type ResponseHead, startOfHead } from './response-head.ts'
import { type Framing, framingOf, mayBeKept } from './response-framing.ts'

/** The maximum number of interim responses, such as `103 Early Hints`, before the final one. */
const MAX_INTERIM_RESPONSES = 10

const SWITCHING_PROTOCOLS = 101

/** Called once, with the last byte of a response. Otherwise the connection is closed. */
export type OnResponseEnd = (mayBeKept: boolean) => void

export interface ResponseReaderOptions {
  /** Over TLS, a head without its end is an error, because an attacker may have cut the connection. */
  isEncrypted: boolean
  onEnd: OnResponseEnd
}

/** Reads the response to one request from a socket, at the speed of the body's consumer. */
export class ResponseReader {
  /** Resolves with the head of the final response. Rejects with a FetchError or the error of the socket. */
  readonly response: Promise<HttpResponse>
  /** Whether any byte of a response has arrived. */
  hasReceived = false

  readonly #responded = Promise.withResolvers<HttpResponse>()
  readonly #head = new BodyBuffer(MAX_HEAD_BYTES)
  /** The number of bytes of the head in which its end is not. */
  #searched = 0
  #interimResponses = 0
  #received: { head: ResponseHead; framing: Framing; response: HttpResponse } | null = null
  /** The bytes of a body with a length that have not arrived. */
  #left = 0
  readonly #chunks = new ChunkedDecoder()
  #discard: { onEnd: () => void; onBytes: (bytes: number) => void } | null = null
  #isSettled = false

  constructor(
    private readonly socket: Socket,
    private readonly options: ResponseReaderOptions,
  ) {
    this.response = this.#responded.promise
    // The caller may have stopped waiting.
    this.response.catch(() => {})
    socket.on('data', this.#onData)
    socket.on('end', this.#onSocketEnd)
    socket.on('error', this.#fail)
    socket.on('close', this.#onSocketEnd)
  }

  /** Reads and discards the rest of the body. `onBytes` is called with the size of each part. */
  discardRest(onEnd: () => void, onBytes: (bytes: number) => void): void {
    this.#discard = { onEnd, onBytes }
    this.socket.resume()
  }

  /** Whether the connection could be kept after this response. */
  get mayBeKept(): boolean {
    return this.#received !== null && this.#received.framing.kind !== 'close' && mayBeKept(this.#received.head)
  }

  /** The bytes of the body that have not arrived; null if the body has no length. */
  get bytesLeft(): number | null {
    return this.#received?.framing.kind === 'length' ? this.#left : null
  }

  readonly #onData = (chunk: Buffer) => {
    this.hasReceived = true
    try {
      if (this.#received === null) this.#readHead(chunk)
      else this.#readBody(chunk)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #readHead(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      const before = this.#head.size
      this.#head.append(rest)
      const received = bufferOf(this.#head)
      const start = startOfHead(received)
      if (start === null) return
      // The line feeds of the empty line may arrive separately.
      const end = endOfHead(received, Math.max(start, this.#searched - 2))
      if (end < 0) {
        if (this.#head.isFull) throw new FetchError('response_too_large')
        this.#searched = received.length
        return
      }
      const head = parseHead(received.toString('latin1', start, end))
      rest = rest.subarray(end - before)
      this.#searched = 0
      this.#head[Symbol.dispose]()
      if (!isInterim(head.status)) return this.#startBody(head, rest)
      if (++this.#interimResponses > MAX_INTERIM_RESPONSES) throw new FetchError('invalid_response')
    }
  }

  #startBody(head: ResponseHead, rest: Buffer): void {
    const { status, fields } = head
    if (status === SWITCHING_PROTOCOLS) throw new FetchError('invalid_response')
    const framing = framingOf(head)
    const body = new Readable({
      read: () => void this.socket.resume(),
      destroy: (error, done) => {
        if (!this.#isSettled) this.socket.destroy()
        done(error)
      },
    })
    // An error after the consumer has stopped does not matter.
    body.on('error', () => {})
    const response = { status, fields, body, failure: null, hasLength: framing.kind === 'length' }
    this.#received = { head, framing, response }
    if (framing.kind === 'length') this.#left = framing.bytes
    this.#responded.resolve(response)
    if (rest.length > 0 || this.bytesLeft === 0) this.#readBody(rest)
  }

  #readBody(bytes: Buffer): void {
    const { framing } = this.#received!
    if (framing.kind === 'close') return this.#deliver(bytes)
    if (framing.kind === 'chunked') {
      const { data, used, failure } = this.#chunks.decode(bytes)
      this.#deliver(data)
      if (failure !== null) this.#fail(failure)
      else if (this.#chunks.isAtEnd) this.#end(used === bytes.length)
      return
    }
    const used = Math.min(this.#left, bytes.length)
    this.#left -= used
    this.#deliver(bytes.subarray(0, used))
    if (this.#left === 0) this.#end(used === bytes.length)
  }

  #deliver(data: Buffer): void {
    if (data.length === 0) return
    if (this.#discard !== null) this.#discard.onBytes(data.length)
    else if (!this.#received!.response.body.push(data)) this.socket.pause()
  }

  /** @param isExact false if more bytes have arrived, which belong to no response */
  #end(isExact: boolean): void {
    if (!this.#settle()) return
    this.#received!.response.body.push(null)
    this.#discard?.onEnd()
    this.options.onEnd(isExact && this.mayBeKept)
  }

  /** The end of the connection, which may be the end of the response. */
  readonly #onSocketEnd = () => {
    if (this.#received?.framing.kind === 'close') return this.#end(false)
    if (this.#received !== null) return this.#fail(new FetchError('invalid_response'))
    const received = bufferOf(this.#head)
    const start = startOfHead(received)
    if (start === null) return this.#fail(new FetchError(received.length > 0 ? 'invalid_response' : 'connection_reset'))
    const text = received.toString('latin1', start)
    const hasStatusLine = text.includes('\n')
    if (!hasStatusLine || this.options.isEncrypted) return this.#fail(new FetchError('connection_reset'))
    try {
      const head = parseHead(text)
      if (isInterim(head.status)) throw new FetchError('connection_reset')
      this.#startBody(head, Buffer.alloc(0))
      if (this.#received!.framing.kind === 'chunked' || this.#left > 0) throw new FetchError('invalid_response')
      this.#end(false)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  readonly #fail = (error: Error) => {
    if (!this.#settle()) return
    if (this.#received === null) {
      this.#responded.reject(error)
    } else {
      // The body ends instead of failing, so that the consumer still receives the part that has arrived.
      this.#received.response.failure = error
      this.#received.response.body.push(null)
    }
    this.socket.destroy()
  }

  /** Stops listening. Returns false if the response has already ended or failed. */
  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    const { socket } = this
    socket.off('data', this.#onData)
    socket.off('end', this.#onSocketEnd)
    socket.off('error', this.#fail)
    socket.off('close', this.#onSocketEnd)
    return true
  }
}

function bufferOf({ bytes }: BodyBuffer): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

function isInterim(status: number): boolean {
  return status >= 100 && status < 200 && status !== SWITCHING_PROTOCOLS
}
