import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

import { memoized } from '../../memoized.ts'
import type { Range } from './range.ts'

/**
 * The maximum number of bytes of a value to decode. Far above the limits on returned values, because white space and
 * character references are removed later, and small enough that decoding a value of a megabyte is cheap.
 */
const MAX_VALUE_BYTES = 65_536

/** Entity declarations of an XML document are searched for in this many bytes. */
const MAX_DECLARATION_BYTES = 8_192

/** Longer values of entities are ignored. */
const MAX_ENTITY_CHARACTERS = 256

/** Declared entities are not replaced in longer values. */
const MAX_VALUE_CHARACTERS = 4_096

/** The number of characters that declared entities may add to a document. Without a limit, 10 KB could become a gigabyte. */
const MAX_ADDED_CHARACTERS = 4_096

/** A declaration of an entity with a value: https://www.w3.org/TR/xml/#sec-entity-decl */
const ENTITY = /<!ENTITY\s+([\w.-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/g

/** One per encoding: decoders keep no state between complete values. */
const decoders = new Map<string, TextDecoder>()

/** Decodes ranges of a page to text. */
export class TextReader {
  readonly #decoder: TextDecoder
  /** Set for XML documents, which may declare entities. */
  isXml = false
  #entities: ReadonlyMap<string, string> | null = null
  #addedCharacters = 0

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
    return text.includes('&') ? decodeHTMLAttribute(withPairs(this.#withOwnEntities(text))) : text
  })

  /** Element text with character references but no tags. */
  text(range: Range): string {
    const text = this.raw(range, MAX_VALUE_BYTES)
    return text.includes('&') ? decodeHTML(withPairs(this.#withOwnEntities(text))) : text
  }

  #withOwnEntities(text: string): string {
    if (!this.isXml || text.length > MAX_VALUE_CHARACTERS || this.#addedCharacters > MAX_ADDED_CHARACTERS) return text
    const entities = (this.#entities ??= declaredEntities(
      this.raw({ start: 0, end: this.bytes.length }, MAX_DECLARATION_BYTES),
    ))
    if (entities.size === 0) return text
    return text.replace(/&([\w.-]+);/g, (reference, name: string) => {
      const value = entities.get(name)
      if (value === undefined || this.#addedCharacters > MAX_ADDED_CHARACTERS) return reference
      this.#addedCharacters += value.length
      return value
    })
  }

  /** Text without character references, as in a script. */
  raw({ start, end }: Range, maxBytes: number): string {
    const text = this.#decoder.decode(this.bytes.subarray(start, Math.min(end, start + maxBytes)))
    return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
  }
}

/** A character beyond U+FFFF as references to the two halves that it has in UTF-16: `&#55357;&#56960;`. */
const PAIR = /&#(5[56]\d{3});&#(5[67]\d{3});/g

/** Replaces the references to halves, of which browsers make two U+FFFD, by the character that was meant. */
function withPairs(text: string): string {
  if (!text.includes('&#5')) return text
  return text.replace(PAIR, (written, high, low) => {
    const pair = String.fromCharCode(Number(high), Number(low))
    return pair.isWellFormed() ? pair : written
  })
}

/** The entities that a document declares, by name. */
function declaredEntities(start: string): ReadonlyMap<string, string> {
  const declared = [...start.matchAll(ENTITY)].map(([, name, double, single]) => [name!, double ?? single!] as const)
  return new Map(declared.filter(([, value]) => value.length <= MAX_ENTITY_CHARACTERS))
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
