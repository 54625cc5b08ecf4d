import { FetchError } from '../../core/errors.ts'
import { MAX_HEAD_BYTES } from '../response/limits.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const SEMICOLON = 0x3b

/**
 * Sizes, extensions and trailers may take this many bytes more than the data. Real chunks have hundreds of bytes; chunks of
 * one byte have five bytes of framing each.
 */
const MAX_FRAMING_BYTES = MAX_HEAD_BYTES

/** The part that the next byte belongs to. `size` is the first digit of a size, `line` what follows the digits. */
type State = 'size' | 'digits' | 'line' | 'data' | 'after data' | 'trailer' | 'in trailer' | 'end'

/**
 * Decodes the chunked transfer coding (RFC 9112 section 7.1). As in Chromium, a line may end with LF alone, and extensions
 * and trailers are ignored even if they are invalid.
 */
export class ChunkedDecoder {
  #state: State = 'size'
  /** The bytes of the current chunk that have not arrived. */
  #left = 0
  #dataBytes = 0
  #framingBytes = 0

  get isAtEnd(): boolean {
    return this.#state === 'end'
  }

  /**
   * Decodes the next bytes in place.
   * @returns `data`, a view of `bytes`; `used`, the number of bytes that belong to the body; and `failure`, the error that
   * follows the data: `invalid_response`, or `response_too_large` for too much framing
   */
  decode(bytes: Buffer): { data: Buffer; used: number; failure: FetchError | null } {
    let at = 0
    let end = 0
    while (at < bytes.length && this.#state !== 'end') {
      if (this.#state === 'data') {
        const length = Math.min(this.#left, bytes.length - at)
        if (end !== at) bytes.copyWithin(end, at, at + length)
        at += length
        end += length
        this.#left -= length
        this.#dataBytes += length
        if (this.#left === 0) this.#state = 'after data'
        continue
      }
      try {
        at = this.#readFraming(bytes, at)
      } catch (error) {
        return { data: bytes.subarray(0, end), used: at, failure: error as FetchError }
      }
    }
    return { data: bytes.subarray(0, end), used: at, failure: null }
  }

  /** Reads one byte, or all bytes up to a line feed that are ignored. Returns the index of the next byte. */
  #readFraming(bytes: Buffer, at: number): number {
    let next = at + 1
    if (this.#state === 'line' || this.#state === 'in trailer') {
      const lineFeed = bytes.indexOf(LINE_FEED, at)
      next = lineFeed < 0 ? bytes.length : lineFeed + 1
      if (lineFeed >= 0) this.#state = this.#state === 'line' ? this.#afterSize : 'trailer'
    } else {
      this.#state = this.#stateAfter(bytes[at]!)
    }
    this.#framingBytes += next - at
    if (this.#framingBytes > MAX_FRAMING_BYTES + this.#dataBytes) throw new FetchError('response_too_large')
    return next
  }

  #stateAfter(byte: number): State {
    switch (this.#state) {
      case 'size':
      case 'digits': {
        const digit = hexDigit(byte)
        if (digit !== null) {
          this.#left = this.#left * 16 + digit
          if (!Number.isSafeInteger(this.#left)) throw new FetchError('invalid_response')
          return 'digits'
        }
        if (this.#state === 'size') throw new FetchError('invalid_response')
        if (byte === LINE_FEED) return this.#afterSize
        if (byte === CARRIAGE_RETURN || byte === SPACE || byte === SEMICOLON) return 'line'
        throw new FetchError('invalid_response')
      }
      case 'after data':
        if (byte === LINE_FEED) return this.#startOfSize()
        if (byte === CARRIAGE_RETURN) return 'after data'
        throw new FetchError('invalid_response')
      default:
        // An empty line ends the trailers.
        if (byte === LINE_FEED) return 'end'
        return byte === CARRIAGE_RETURN ? 'trailer' : 'in trailer'
    }
  }

  #startOfSize(): State {
    this.#left = 0
    return 'size'
  }

  get #afterSize(): State {
    return this.#left === 0 ? 'trailer' : 'data'
  }
}

/** Null if the byte is not a hexadecimal digit. */
function hexDigit(byte: number): number | null {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : null
}
