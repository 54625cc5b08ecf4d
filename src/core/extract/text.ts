import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

import type { Range } from './range.ts'

/**
 * Bytes of a value that are looked at. Far above every cap on what is returned, so that white space and character
 * references do not use it up, and small enough that a megabyte of them costs nothing.
 */
const MAX_VALUE_BYTES = 65_536

/** A decoder is stateless between whole values, so one per encoding serves every page. */
const decoders = new Map<string, TextDecoder>()

/** Makes text of ranges of a page. */
export class TextReader {
  readonly #decoder: TextDecoder

  /** @param encoding a WHATWG encoding name */
  constructor(
    readonly bytes: Uint8Array,
    encoding: string,
  ) {
    this.#decoder = decoderOf(encoding)
  }

  /** An attribute's value: there `&copy=2` is no character reference. */
  attribute(range: Range): string {
    const text = this.raw(range, MAX_VALUE_BYTES)
    return text.includes('&') ? decodeHTMLAttribute(text) : text
  }

  /** The text of an element in which character references count but tags do not. */
  text(range: Range): string {
    const text = this.raw(range, MAX_VALUE_BYTES)
    return text.includes('&') ? decodeHTML(text) : text
  }

  /** Text as it stands, as in a script. */
  raw({ start, end }: Range, maxBytes: number): string {
    const text = this.#decoder.decode(this.bytes.subarray(start, Math.min(end, start + maxBytes)))
    return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
  }
}

/** Text as a reader sees it: runs of white space (no-break spaces too) are one space, none at the ends. */
export function collapsed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** At most `max` UTF-16 units, and never half a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? max - 1 : max).trimEnd()
}

/** @throws RangeError when the encoding is none */
export function decoderOf(encoding: string): TextDecoder {
  let decoder = decoders.get(encoding)
  if (decoder === undefined) decoders.set(encoding, (decoder = new TextDecoder(encoding as Bun.Encoding)))
  return decoder
}
