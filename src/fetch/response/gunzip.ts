import { Transform, type TransformCallback } from 'node:stream'
import { constants, createInflateRaw, type InflateRaw } from 'node:zlib'

import { DECODED_CHUNK_BYTES } from './limits.ts'

/** Servers that compress in parts send one member per part. Limited, because an empty member takes only 20 bytes. */
const MAX_MEMBERS = 256

/** Real headers have at most a file name. The bytes of an incomplete header are kept, and copied with each chunk. */
const MAX_HEADER_BYTES = 8_192

/** The CRC and the length after each member, RFC 1952 section 2.3.1. As in browsers, they are not checked. */
const TRAILER_BYTES = 8

/** The bits of the FLG byte, RFC 1952 section 2.3.1. */
const FLAGS = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const

/**
 * Decodes gzip as browsers do: data after a member is ignored unless it starts another member, and truncated data is
 * decoded up to its end. `createGunzip` fails on data after a member, and drops the data that it decoded in the same
 * step.
 */
export class Gunzip extends Transform {
  /** Bytes of an incomplete header, or of the trailer before it. */
  #pending: Buffer = Buffer.alloc(0)
  #member: InflateRaw | null = null
  #members = 0
  #isAfterLast = false

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.#isAfterLast) done()
    else if (this.#member !== null) this.#inflate(this.#member, chunk, done)
    else this.#startMember(Buffer.concat([this.#pending, chunk]), done)
  }

  override _flush(done: TransformCallback): void {
    if (this.#member === null) done()
    else this.#member.once('end', () => done()).end()
  }

  override _read(size: number): void {
    this.#member?.resume()
    super._read(size)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#member?.destroy()
    done(error)
  }

  #startMember(bytes: Buffer, done: TransformCallback): void {
    const start = this.#members === 0 ? 0 : TRAILER_BYTES
    const end = headerEnd(bytes, start)
    if (end === 'incomplete') {
      this.#pending = bytes
      return done()
    }
    if (end === 'not gzip' || this.#members === MAX_MEMBERS) {
      this.#isAfterLast = true
      return done(this.#members === 0 ? new Error('not gzip') : null)
    }
    this.#members++
    const member = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: DECODED_CHUNK_BYTES })
    member.on('data', (data) => this.push(data) || member.pause())
    member.on('error', (error) => this.destroy(error))
    this.#member = member
    this.#inflate(member, bytes.subarray(end), done)
  }

  #inflate(member: InflateRaw, bytes: Buffer, done: TransformCallback): void {
    const before = member.bytesWritten
    member.write(bytes, () => {
      const used = member.bytesWritten - before
      // The member may continue in the next chunk.
      if (used === bytes.length) return done()
      const startNext = () => {
        this.#member = null
        this.#startMember(bytes.subarray(used), done)
      }
      if (member.readableEnded) startNext()
      else member.once('end', startNext)
    })
  }
}

/** The index after the member header that starts at `start`, RFC 1952 section 2.3. */
function headerEnd(bytes: Buffer, start: number): number | 'incomplete' | 'not gzip' {
  const [id1 = 0x1f, id2 = 0x8b, method = 8, flags] = bytes.subarray(start)
  if (id1 !== 0x1f || id2 !== 0x8b || method !== 8) return 'not gzip'
  if (flags === undefined) return 'incomplete'
  let end = start + 10
  if (flags & FLAGS.extra) end += end + 2 <= bytes.length ? 2 + bytes.readUInt16LE(end) : Infinity
  for (const text of [FLAGS.name, FLAGS.comment]) {
    if (!(flags & text)) continue
    const zero = bytes.indexOf(0, end)
    end = zero < 0 ? Infinity : zero + 1
  }
  if (flags & FLAGS.headerCrc) end += 2
  if (Math.min(end, bytes.length) - start > MAX_HEADER_BYTES) return 'not gzip'
  return end <= bytes.length ? end : 'incomplete'
}
