import { once } from 'node:events'
import type { Readable, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'

import { FetchError } from '../../core/errors.ts'
import { Gunzip } from './gunzip.ts'
import { DECODED_CHUNK_BYTES, MAX_ENCODED_BYTES, maxChunksOf } from './limits.ts'

/** The maximum number of encodings. Each can inflate a body a thousandfold. Servers use one; some proxies add one. */
const MAX_ENCODINGS = 2

/** Makes zlib return all decoded data of a truncated body instead of failing. */
const LENIENT_ZLIB = { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: DECODED_CHUNK_BYTES }

/** The method in the low bits of the first byte of a zlib stream (RFC 1950 section 2.2). */
const ZLIB_FORMAT = 8

/**
 * Windows of more than 8 MB are refused, as in browsers (RFC 9659), because decoding takes as much memory as the
 * window.
 */
const ZSTD = {
  finishFlush: constants.ZSTD_e_flush,
  chunkSize: DECODED_CHUNK_BYTES,
  params: { [constants.ZSTD_d_windowLogMax]: 23 },
}

const DECODERS: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => new Gunzip(),
  'x-gzip': () => new Gunzip(),
  // RFC 9110 section 8.4.1.2 specifies the zlib format, but some servers send raw deflate, and browsers accept it.
  deflate: (firstByte) =>
    (firstByte & 0x0f) === ZLIB_FORMAT ? createInflate(LENIENT_ZLIB) : createInflateRaw(LENIENT_ZLIB),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH, chunkSize: DECODED_CHUNK_BYTES }),
  zstd: () => createZstdDecompress(ZSTD),
}

export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/**
 * The encodings of a body in the order in which to decode them. Unknown encodings are ignored, as in browsers, because
 * servers send `utf-8` and `none`. A body in a real but unknown encoding is not recognized as a page.
 * @throws FetchError `invalid_response` for more than `MAX_ENCODINGS`
 */
export function encodingsOf(header: string): string[] {
  const encodings = header
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => Object.hasOwn(DECODERS, encoding))
  if (encodings.length > MAX_ENCODINGS) throw new FetchError('invalid_response')
  return encodings.toReversed()
}

export type InflatedBody = Awaited<ReturnType<typeof inflate>>

/**
 * Inflates a body while it is read, so that reading can stop at a decoded size. Stopping ends all work; `fetch` would
 * continue to decompress in another thread. A body without encoding is returned unchanged.
 * @param maxReceivedBytes the maximum number of bytes before decoding; a longer body fails
 */
export async function inflate(body: Readable, encodings: readonly string[], maxReceivedBytes = MAX_ENCODED_BYTES) {
  let firstByte = encodings[0] === 'deflate' ? await peek(body) : ZLIB_FORMAT
  // The body may have failed in the same turn in which the head arrived.
  if (body.errored !== null) throw body.errored
  limitReceived(body, maxReceivedBytes)
  const decoders: Transform[] = []
  let stream: Readable = body
  for (const encoding of encodings) {
    if (encoding === 'deflate' && stream !== body) firstByte = await peek(stream)
    // An endless stream of empty blocks between two encodings never reaches the limit of the decoded size.
    if (stream !== body) limitReceived(stream, maxReceivedBytes)
    const decoder = DECODERS[encoding]!(firstByte)
    decoders.push(decoder)
    stream = inflateInto(stream, decoder)
  }
  return {
    stream,
    /** The body itself is paused and can still be read to its end. */
    stop() {
      body.unpipe()
      body.pause()
      for (const decoder of decoders) decoder.destroy()
    },
  }
}

/**
 * Pipes the body and forwards its errors. Unlike `pipeline`, this does not destroy the body when the decoder is
 * destroyed.
 */
function inflateInto(body: Readable, decoder: Transform): Transform {
  body.on('error', (error) => decoder.destroy(error))
  body.on('close', () => body.readableEnded || decoder.destroy(new Error('the body was closed before its end')))
  return body.pipe(decoder)
}

/** Destroys a body that has too many chunks or compressed bytes. */
function limitReceived(body: Readable, maxBytes: number): void {
  const maxChunks = maxChunksOf(maxBytes)
  let chunks = 0
  let bytes = 0
  body.on('data', (chunk: Uint8Array) => {
    // Chunks that are already parsed are emitted even after `destroy`.
    if (body.destroyed) return
    bytes += chunk.length
    const isTooMuch = ++chunks > maxChunks || bytes > maxBytes
    if (isTooMuch) body.destroy(new FetchError('response_too_large'))
  })
}

/** The first byte of a body, without consuming it; `ZLIB_FORMAT` for an empty body. */
async function peek(body: Readable): Promise<number> {
  if (!body.readable) return ZLIB_FORMAT
  await Promise.race([once(body, 'readable'), once(body, 'end')])
  const chunk: Buffer | null = body.read()
  if (chunk !== null) body.unshift(chunk)
  return chunk?.[0] ?? ZLIB_FORMAT
}
