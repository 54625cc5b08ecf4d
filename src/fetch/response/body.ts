import { type ContentType, contentTypeOf, isXml, READ_BYTES, sniffContent } from '../../core/fetch/content-type.ts'
import { FetchError } from '../../core/errors.ts'
import { fieldValue } from '../../core/net/header-fields.ts'
import type { HttpResponse } from './http-response.ts'
import type { PageScan } from '../../core/extract/extract.ts'
import type { Hop } from '../../core/fetch/trace.ts'
import { BodyBuffer } from './body-buffer.ts'
import { type BodyConsumer, consumeBody, type Waiting } from './body-consumer.ts'
import { responseFailure } from './failure.ts'
import { encodingsOf, inflate, type InflatedBody } from './inflate.ts'
import { MAX_ENCODED_BYTES, MAX_PAGE_BYTES } from './limits.ts'

/** The number of bytes to scan in one step. If they are all tags, a step takes about 1.5 ms. */
const STEP_BYTES = 65_536

/** After this time, the rest of a file is not waited for, because its name is a title as well. */
const MAX_FILE_MS = 1_000

export interface BodyContext extends Waiting {
  scan: PageScan
  beforeStep: () => void
  hop: Hop
}

/**
 * Reads a body until the scan needs no more of it, the size limit is reached, or the body turns out not to be a page.
 * If the connection is lost, the part that has arrived is used, as in browsers. If a page without a Content-Length looks
 * complete, its end is not waited for.
 * @throws FetchError, or the signal's reason
 */
export async function readBody(response: HttpResponse, { scan, beforeStep, hop, ...waiting }: BodyContext) {
  const { signal } = waiting
  const startedAt = performance.now()
  const contentType = contentTypeOf(response.fields)
  hop.contentType = contentType
  hop.contentEncoding = fieldValue(response.fields, 'content-encoding') ?? ''
  const robots = fieldValue(response.fields, 'x-robots-tag')
  if (robots !== null) hop.robots = robots
  const encodings = encodingsOf(hop.contentEncoding)
  scan.isXml = isXml(contentType)
  const body = new BodyBuffer(MAX_PAGE_BYTES)
  let type: ContentType | null = null
  let scannedBytes = 0
  const isFile = () => type !== null && type.kind !== 'html'

  const consumer: BodyConsumer<Hop['stopped']> = {
    // A decoder may continue to write to the memory of its last chunk.
    append: (chunk) => body.append(chunk, encodings.length === 0),
    isCaughtUp: () => scannedBytes === body.size,
    afterSilence: () => (isFile() || (!response.hasLength && scan.isComplete) ? 'rest not needed' : undefined),
    readOn() {
      const { bytes } = body
      type ??= sniffContent(contentType, bytes, false)
      if (type !== null && type.kind !== 'html') {
        scannedBytes = body.size
        const wanted = READ_BYTES.get(type.mimeType) ?? 0
        if (body.size < wanted && performance.now() - startedAt < MAX_FILE_MS) return undefined
        return wanted > 0 ? 'rest not needed' : 'not a page'
      }
      scannedBytes = Math.min(body.size, scannedBytes + STEP_BYTES)
      beforeStep()
      scan.read(bytes.subarray(0, scannedBytes))
      if (scan.isDone) return 'rest not needed'
      return body.isFull && scannedBytes === body.size ? 'cap' : undefined
    },
  }

  try {
    hop.stopped = (await consume(response, await inflate(response.body, encodings), consumer, waiting)) ?? 'end'
  } catch (error) {
    signal.throwIfAborted()
    const isTooLarge = error instanceof FetchError && error.failure === 'response_too_large'
    if (isTooLarge ? !scan.hasHeadEnded : body.size === 0) throw responseFailure(error)
    hop.stopped = isTooLarge ? 'cap' : 'connection lost'
  }
  // A body without a length ends with its connection, even if the abort closed the connection.
  signal.throwIfAborted()
  type ??= sniffContent(contentType, body.bytes, true) ?? { kind: 'other', mimeType: '' }
  const { kind } = type
  hop.bodyBytes = body.size
  const isWhole = hop.stopped === 'end'
  if (kind !== 'html') return { kind, body, bytes: body.bytes.subarray(0, READ_BYTES.get(type.mimeType) ?? 0), isWhole }
  return { kind, body, bytes: body.bytes.subarray(0, scan.isDone ? scan.bytesRead : body.size), isWhole }
}

/**
 * Passes a body to a consumer, as `consumeBody`.
 * @throws also the error that ended the body early, after the consumer has received the part before it
 */
async function consume<Reason>(
  response: HttpResponse,
  body: InflatedBody,
  consumer: BodyConsumer<Reason>,
  waiting: Waiting,
): Promise<Reason | undefined> {
  const reason = await consumeBody(body, consumer, waiting)
  if (reason === undefined && response.failure !== null) throw response.failure
  return reason
}

/** Reads the first `maxBytes` of a body after decoding. @throws FetchError, or the signal's reason */
export async function readStart(response: HttpResponse, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    const maxReceivedBytes = Math.max(MAX_ENCODED_BYTES, 2 * maxBytes)
    const encodings = encodingsOf(fieldValue(response.fields, 'content-encoding') ?? '')
    const body = await inflate(response.body, encodings, maxReceivedBytes)
    const append = (chunk: Uint8Array) => {
      chunks.push(chunk)
      size += chunk.length
    }
    const readOn = () => size >= maxBytes || undefined
    await consume(response, body, { append, readOn, isCaughtUp: () => true }, { user: null, signal })
  } catch (error) {
    signal.throwIfAborted()
    throw responseFailure(error)
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}
