import type { IncomingMessage } from 'node:http'

import { sniffContent, type ContentType } from '../core/content-type.ts'
import { FetchError } from '../core/errors.ts'
import type { PageScan } from '../core/fetch-ports.ts'
import type { Hop } from '../core/trace.ts'
import { BodyBuffer, type BufferPool } from './body-buffer.ts'
import { bodyFailure } from './failure.ts'
import { encodingsOf, inflate, type InflatedBody } from './inflate.ts'
import { MAX_ENCODED_BYTES, MAX_PAGE_BYTES } from './limits.ts'
import { turnBudget } from './turn-budget.ts'

/** The bytes of a page that are read in one step: at most 2 ms of work. */
const STEP_BYTES = 65_536

/** The part of a body that was needed. */
export interface Body {
  type: ContentType
  /** Without content encoding; empty unless it is a page. */
  bytes: Uint8Array
  /** False when reading stopped before the end. */
  isWhole: boolean
}

/** The inputs of reading a body. */
export interface BodyContext {
  scan: PageScan
  pool: BufferPool
  hop: Hop
  signal: AbortSignal
}

/**
 * Reads a body until enough was read, the size limit is reached, or it turns out not to be a page. If the connection is
 * lost after the page's head, the page is used, as in browsers; if it is lost before, the fetch fails.
 * @throws FetchError, or the signal's reason
 */
export async function readBody(response: IncomingMessage, { scan, pool, hop, signal }: BodyContext): Promise<Body> {
  const startedAt = performance.now()
  const contentType = response.headers['content-type'] ?? ''
  hop.contentType = contentType
  hop.contentEncoding = response.headers['content-encoding'] ?? ''
  const robots = response.headers['x-robots-tag']
  if (robots !== undefined) hop.robots = String(robots)
  const encodings = encodingsOf(hop.contentEncoding)
  const body = new BodyBuffer(MAX_PAGE_BYTES, pool)
  let type: ContentType | null = null
  let scannedBytes = 0

  const consumer: BodyConsumer<Hop['stopped']> = {
    append: (chunk) => body.append(chunk),
    isCaughtUp: () => scannedBytes === body.bytes.length,
    readOn() {
      const { bytes } = body
      type ??= sniffContent(contentType, bytes, false)
      if (type !== null && type.kind !== 'html') return 'not a page'
      scannedBytes = Math.min(bytes.length, scannedBytes + STEP_BYTES)
      scan.read(bytes.subarray(0, scannedBytes))
      if (scan.isDone) return 'rest not needed'
      return body.isFull && scannedBytes === bytes.length ? 'cap' : undefined
    },
  }

  try {
    hop.stopped = (await readUntil(await inflate(response, encodings), consumer, signal)) ?? 'end'
  } catch (error) {
    signal.throwIfAborted()
    if (!scan.hasHeadEnded) throw bodyFailure(error)
    const isTooLarge = error instanceof FetchError && error.failure === 'response_too_large'
    hop.stopped = isTooLarge ? 'cap' : 'connection lost'
  }
  // A body without a length ends with its connection, even if the abort closed it.
  signal.throwIfAborted()
  type ??= sniffContent(contentType, body.bytes, true) ?? { kind: 'other', mimeType: '' }
  hop.timing.bodyMs = performance.now() - startedAt
  hop.bodyBytes = body.bytes.length
  if (type.kind === 'html') {
    const bytes = body.detach(scan.isDone ? scan.bytesRead : body.bytes.length)
    return { type, bytes, isWhole: hop.stopped === 'end' }
  }
  body.release()
  return { type, bytes: new Uint8Array(), isWhole: hop.stopped === 'end' }
}

/**
 * Reads the first `maxBytes` of a body, without content encoding.
 * @throws FetchError, or the signal's reason
 */
export async function readStart(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    const maxReceivedBytes = Math.max(MAX_ENCODED_BYTES, 2 * maxBytes)
    const encodings = encodingsOf(response.headers['content-encoding'] ?? '')
    const body = await inflate(response, encodings, maxReceivedBytes)
    const append = (chunk: Uint8Array) => {
      chunks.push(chunk)
      size += chunk.length
    }
    await readUntil(body, { append, readOn: () => size >= maxBytes || undefined, isCaughtUp: () => true }, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw bodyFailure(error)
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

/** Uses a body while it arrives. */
interface BodyConsumer<Reason> {
  /** Keeps a chunk. */
  append(chunk: Uint8Array): void
  /** Reads a part of what was kept; returns a reason to stop. */
  readOn(): Reason | undefined
  /** Whether everything that was kept has been read. */
  isCaughtUp(): boolean
}

/**
 * Passes a body to its consumer until that has a reason to stop; undefined when the body ends before. Unlike `for await`,
 * it does not wait for a turn of the event loop between chunks, unless the turn's time is spent.
 */
function readUntil<Reason>(
  body: InflatedBody,
  consumer: BodyConsumer<Reason>,
  signal: AbortSignal,
): Promise<Reason | undefined> {
  const { stream } = body
  return new Promise((resolve, reject) => {
    // It may have ended or failed in the same turn in which the head arrived.
    if (stream.errored !== null) return reject(stream.errored)
    if (stream.readableEnded) return resolve(undefined)
    const broken = () => reject(new Error('the stream was closed before its end'))
    if (stream.destroyed) return broken()
    let isSettled = false
    let isReading = false
    /** How the stream ended, if the consumer has not caught up yet. */
    let ending: (() => void) | null = null
    // Needed because closing a connection that has already ended emits no event.
    const abort = () => stop(() => reject(signal.reason))
    signal.addEventListener('abort', abort)
    const stop = (settle: () => void) => {
      // The connection is closed or drained later, and emits events then.
      if (isSettled) return
      isSettled = true
      signal.removeEventListener('abort', abort)
      body.stop()
      settle()
    }
    const step = () => {
      if (isSettled) return false
      try {
        const reason = consumer.readOn()
        if (reason !== undefined) stop(() => resolve(reason))
      } catch (error) {
        stop(() => reject(error))
      }
      if (isSettled) return false
      if (!consumer.isCaughtUp()) return true
      isReading = false
      if (ending !== null) stop(ending)
      else if (stream.isPaused()) stream.resume()
      return false
    }
    const read = () => {
      turnBudget.repeat(step)
      if (isReading && !isSettled) stream.pause()
    }
    const end = (settle: () => void) => {
      if (isReading) ending ??= settle
      else stop(settle)
    }
    stream.on('data', (chunk: Uint8Array) => {
      if (isSettled) return
      consumer.append(chunk)
      if (isReading) return
      isReading = true
      // Once for all chunks that arrived together: a malicious server sends thousands of one byte.
      process.nextTick(read)
    })
    stream.on('end', () => end(() => resolve(undefined)))
    stream.on('error', (error) => end(() => reject(error)))
    stream.on('close', () => end(broken))
  })
}
