import type { IncomingMessage } from 'node:http'

import { sniffContent, type ContentKind } from '../../core/fetch/content-type.ts'
import { FetchError } from '../../core/errors.ts'
import type { PageScan } from '../../core/extract/extract.ts'
import type { Hop } from '../../core/fetch/trace.ts'
import { BodyBuffer } from './body-buffer.ts'
import { type BodyConsumer, consumeBody } from './body-consumer.ts'
import { bodyFailure } from './failure.ts'
import { encodingsOf, inflate } from './inflate.ts'
import { MAX_ENCODED_BYTES, MAX_PAGE_BYTES } from './limits.ts'

/** The number of bytes to scan in one step. If they are all tags, a step takes about 1.5 ms. */
const STEP_BYTES = 65_536

/** The inputs of reading a body. */
export interface BodyContext {
  scan: PageScan
  beforeScan: () => void
  hop: Hop
  signal: AbortSignal
}

/**
 * Reads a body until enough was read, the size limit is reached, or it turns out not to be a page. If the connection is
 * lost after the page's head, the page is used, as in browsers; if it is lost before, the fetch fails.
 * @throws FetchError, or the signal's reason
 */
export async function readBody(response: IncomingMessage, { scan, beforeScan, hop, signal }: BodyContext) {
  const startedAt = performance.now()
  const contentType = response.headers['content-type'] ?? ''
  hop.contentType = contentType
  hop.contentEncoding = response.headers['content-encoding'] ?? ''
  const robots = response.headers['x-robots-tag']
  if (robots !== undefined) hop.robots = String(robots)
  const encodings = encodingsOf(hop.contentEncoding)
  const body = new BodyBuffer(MAX_PAGE_BYTES)
  let kind: ContentKind | null = null
  let scannedBytes = 0

  const consumer: BodyConsumer<Hop['stopped']> = {
    append: (chunk) => body.append(chunk),
    isCaughtUp: () => scannedBytes === body.size,
    readOn() {
      const { bytes } = body
      kind ??= sniffContent(contentType, bytes, false)?.kind ?? null
      if (kind !== null && kind !== 'html') return 'not a page'
      scannedBytes = Math.min(body.size, scannedBytes + STEP_BYTES)
      beforeScan()
      scan.read(bytes.subarray(0, scannedBytes))
      if (scan.isDone) return 'rest not needed'
      return body.isFull && scannedBytes === body.size ? 'cap' : undefined
    },
  }

  try {
    hop.stopped = (await consumeBody(await inflate(response, encodings), consumer, signal)) ?? 'end'
  } catch (error) {
    signal.throwIfAborted()
    if (!scan.hasHeadEnded) throw bodyFailure(error)
    const isTooLarge = error instanceof FetchError && error.failure === 'response_too_large'
    hop.stopped = isTooLarge ? 'cap' : 'connection lost'
  }
  // A body without a length ends with its connection, even if the abort closed it.
  signal.throwIfAborted()
  kind ??= sniffContent(contentType, body.bytes, true)?.kind ?? 'other'
  hop.timing.bodyMs = performance.now() - startedAt
  hop.bodyBytes = body.size
  const isWhole = hop.stopped === 'end'
  if (kind !== 'html') return { kind, body, bytes: new Uint8Array(), isWhole }
  return { kind, body, bytes: body.bytes.subarray(0, scan.isDone ? scan.bytesRead : body.size), isWhole }
}

/** Reads the first `maxBytes` of a body, without content encoding. @throws FetchError, or the signal's reason */
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
    await consumeBody(body, { append, readOn: () => size >= maxBytes || undefined, isCaughtUp: () => true }, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw bodyFailure(error)
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}
