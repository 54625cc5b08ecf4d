import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

import { sniffContent, type ContentType } from '../core/content-type.ts'
import { FetchError } from '../core/errors.ts'
import type { Hop } from '../core/trace.ts'
import { bodyFailure } from './failure.ts'
import { encodingsOf, inflate } from './inflate.ts'
import { MAX_PAGE_BYTES } from './limits.ts'

/** A body as far as it was wanted. */
export interface Body {
  type: ContentType
  /** Decoded of its content encoding; empty unless it is a page. */
  bytes: Uint8Array
  /** False when reading stopped before the end. */
  isWhole: boolean
}

/** Whether the bytes of a page hold all that its metadata is read from. */
export type HeadCheck = (bytes: Uint8Array) => boolean

/** Each look at the head reads all that has come so far; a page that asks for more looks is read to its end instead. */
const MAX_HEAD_CHECKS = 8

const HEAD_END = /<\/head|<body/i
const HEAD_END_CHARACTERS = '</head'.length

/**
 * Reads a body until its head is complete, the cap is reached, or it turns out to be no page. A page that breaks off
 * after its head is good enough, as it is for browsers; one that breaks off before has nothing to show.
 * @throws FetchError, or the signal's reason
 */
export async function readBody(
  answer: IncomingMessage,
  isHeadComplete: HeadCheck,
  hop: Hop,
  signal: AbortSignal,
): Promise<Body> {
  const startedAt = performance.now()
  const contentType = answer.headers['content-type'] ?? ''
  hop.contentType = contentType
  hop.contentEncoding = answer.headers['content-encoding'] ?? ''
  const encodings = encodingsOf(hop.contentEncoding)
  const watch = watchHead(isHeadComplete)
  const chunks: Uint8Array[] = []
  let size = 0
  let type: ContentType | null = null

  const read = async (stream: Readable): Promise<NonNullable<Hop['stopped']>> => {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      const kept = chunk.subarray(0, MAX_PAGE_BYTES - size)
      chunks.push(kept)
      size += kept.length
      type ??= sniffContent(contentType, Buffer.concat(chunks), false)
      if (type !== null && type.kind !== 'html') return 'not a page'
      if (watch.isOver(kept, chunks)) return 'head complete'
      if (size === MAX_PAGE_BYTES) return 'cap'
    }
    return 'end'
  }

  try {
    hop.stopped = await read(await inflate(answer, encodings))
  } catch (error) {
    signal.throwIfAborted()
    // What comes in crumbs or never ends is cut like any other page; what decodes to nothing at all has failed.
    const isCut = size > 0 && error instanceof FetchError && error.failure === 'response_too_large'
    if (!isCut && !watch.sawEnd()) throw bodyFailure(error)
    hop.stopped = isCut ? 'cap' : 'broken off'
  }
  // A body without length ends with its connection, also with one that we ended ourselves.
  signal.throwIfAborted()
  const isWhole = hop.stopped === 'end'
  const bytes = Buffer.concat(chunks)
  type ??= sniffContent(contentType, bytes, true) ?? { kind: 'other', mimeType: '' }
  hop.timing.bodyMs = performance.now() - startedAt
  hop.bodyBytes = size
  return { type, bytes: type.kind === 'html' ? bytes : new Uint8Array(), isWhole }
}

/**
 * Reads no more than the first bytes of a body, decoded.
 * @throws FetchError, or the signal's reason
 */
export async function readStart(answer: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    const stream = await inflate(answer, encodingsOf(answer.headers['content-encoding'] ?? ''))
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= maxBytes) break
    }
  } catch (error) {
    signal.throwIfAborted()
    throw bodyFailure(error)
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

/** Asks whether the head is complete whenever its end, or the start of the body, comes along. */
function watchHead(isHeadComplete: HeadCheck) {
  let previous = ''
  let checks = 0
  return {
    sawEnd: () => checks > 0,
    isOver(chunk: Uint8Array, all: readonly Uint8Array[]): boolean {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
      // The mark may be split between two chunks.
      const isMarked = HEAD_END.test(previous + text)
      previous = text.slice(1 - HEAD_END_CHARACTERS)
      return isMarked && ++checks <= MAX_HEAD_CHECKS && isHeadComplete(Buffer.concat(all))
    },
  }
}
