import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

import { memoized } from '../../memoized.ts'
import type { Range } from './range.ts'

/**
 * The maximum number of bytes of a value to decode. It is far above the limits on returned values, so that white space
 * and character references do not use it up, and small enough to make a megabyte of them cheap.
 */
const MAX_VALUE_BYTES = 65_536

/** One per encoding: decoders keep no state between complete values. */
const decoders = new Map<string, TextDecoder>()

/** Decodes ranges of a page to text. */
export class TextReader {
  readonly #decoder: TextDecoder

  /** @param bytes the page so far; more bytes may be added later */
  constructor(
    public bytes: Uint8Array,
    encoding: string,
  ) {
    this.#decoder = decoderOf(encoding)
  }

  /** An attribute's value, in which `&copy=2` is not a character reference. */
  readonly attribute = memoized((range: Range): string => {
    const text = this.raw(range, MAX_VALUE_BYTES)
    return text.includes('&') ? decodeHTMLAttribute(text) : text
  })

  /** Element text with character references but no tags. */
  text(range: Range): string {
    const text = this.raw(range, MAX_VALUE_BYTES)
    return text.includes('&') ? decodeHTML(text) : text
  }

  /** Text without character references, as in a script. */
  raw({ start, end }: Range, maxBytes: number): string {
    const text = this.#decoder.decode(this.bytes.subarray(start, Math.min(end, start + maxBytes)))
    return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
  }
}

/** White space other than single spaces, and control characters. Most values have none. */
const UNCOLLAPSED = / \s|[^\S ]|[\0-\x1f\x7f-\x9f]/

/** Replaces runs of white space, no-break spaces and control characters included, by one space and trims the text. */
export function collapseWhitespace(text: string): string {
  const trimmed = text.trim()
  return UNCOLLAPSED.test(trimmed) ? trimmed.replace(/[\s\0-\x1f\x7f-\x9f]+/g, ' ').trim() : trimmed
}

/** Truncates to `max` UTF-16 units without splitting a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? max - 1 : max).trimEnd()
}

/** @throws RangeError for an unknown encoding */
export function decoderOf(encoding: string): TextDecoder {
  return decoders.getOrInsertComputed(encoding, () => new TextDecoder(encoding as Bun.Encoding))
}
