import { decodeHTMLAttribute } from 'entities/decode'

import { AMPERSAND, codesOf } from './ascii.ts'
import { ITEMPROPS, type Itemprop, LINK_RELATIONS, type LinkRelation, META_KEYS, type MetaKey } from './meta-keys.ts'
import type { NameTable } from './name-table.ts'
import { holds, isBlank, type Range, tokensOf, trimmed } from './range.ts'
import type { Tokenizer } from './tokenizer.ts'

const REFRESH = codesOf('refresh')

/** Values kept for one key, and titles, and so on: the first good one wins, and real pages have a handful. */
const MAX_VALUES = 100

/** Bytes of a name that is written with character references; the longest known one would have 200. */
const MAX_ENCODED_NAME = 300

/** Links kept. Some pages declare icons by the dozen before their canonical link. */
const MAX_LINKS = 1_000

/** A link element that some rule asks for, undecoded. */
export interface Link {
  relations: readonly LinkRelation[]
  href: Range
  sizes: Range | null
  type: Range | null
  media: Range | null
  title: Range | null
}

/** The parts of a page that carry metadata, in document order, as ranges of its bytes. Nothing is decoded yet. */
export class Harvest {
  readonly titles: Range[] = []
  readonly metas = new Map<MetaKey, Range[]>()
  /** What `value` says where a meta element has no `content`. */
  readonly metaValues = new Map<MetaKey, Range[]>()
  readonly itemprops = new Map<Itemprop, Range[]>()
  readonly links: Link[] = []
  readonly jsonLd: Range[] = []
  readonly refreshes: { content: Range; isInNoscript: boolean }[] = []
  /** href of the first base element that has one. */
  base: Range | null = null
  /** lang of the first html tag that has one; later tags only add what is missing. */
  language: Range | null = null
  hasOpenGraph = false
  /** Whether an og:title was there that is not blank. */
  hasOpenGraphTitle = false

  title(content: Range): void {
    push(this.titles, content)
  }

  /** The text of a JSON-LD script. */
  jsonLdScript(content: Range): void {
    push(this.jsonLd, content)
  }

  /** Takes what is of use from the start tag that was read last. */
  element(tokenizer: Tokenizer, isInNoscript: boolean): void {
    switch (tokenizer.tag) {
      case 'meta':
        return this.#meta(tokenizer, isInNoscript)
      case 'link':
        return this.#link(tokenizer)
      case 'time':
        return this.#itemprop(tokenizer, tokenizer.attribute('datetime'))
      case 'base':
        this.base ??= tokenizer.attribute('href')
        return
      case 'html':
        this.language ??= tokenizer.attribute('lang')
    }
  }

  #meta(tokenizer: Tokenizer, isInNoscript: boolean): void {
    const content = tokenizer.attribute('content')
    const value = content ?? tokenizer.attribute('value')
    if (value === null) return
    const metas = content === null ? this.metaValues : this.metas
    const property = tokenizer.attribute('property')
    if (property !== null) {
      for (const token of tokensOf(tokenizer.bytes, property)) this.#keepMeta(tokenizer.bytes, metas, token, value)
    }
    const name = tokenizer.attribute('name')
    if (name !== null) this.#keepMeta(tokenizer.bytes, metas, trimmed(tokenizer.bytes, name), value)
    const pragma = tokenizer.attribute('http-equiv')
    if (pragma !== null && holds(tokenizer.bytes, pragma, REFRESH)) {
      push(this.refreshes, { content: value, isInNoscript })
    }
    this.#itemprop(tokenizer, value)
  }

  #keepMeta(bytes: Uint8Array, metas: Map<MetaKey, Range[]>, name: Range, value: Range): void {
    const key = nameIn(META_KEYS, bytes, name)
    if (key === undefined) return
    append(metas, key, value)
    if (!key.startsWith('og:') || isBlank(bytes, value)) return
    this.hasOpenGraph = true
    if (key === 'og:title') this.hasOpenGraphTitle = true
  }

  #itemprop(tokenizer: Tokenizer, value: Range | null): void {
    const { bytes } = tokenizer
    const names = tokenizer.attribute('itemprop')
    if (names === null || value === null) return
    for (const token of tokensOf(bytes, names)) {
      const name = nameIn(ITEMPROPS, bytes, token)
      if (name !== undefined) append(this.itemprops, name, value)
    }
  }

  #link(tokenizer: Tokenizer): void {
    const { bytes } = tokenizer
    const href = tokenizer.attribute('href')
    if (href === null) return
    this.#itemprop(tokenizer, href)
    const rel = tokenizer.attribute('rel')
    if (rel === null) return
    const relations: LinkRelation[] = []
    for (const token of tokensOf(bytes, rel)) {
      const relation = nameIn(LINK_RELATIONS, bytes, token)
      if (relation !== undefined) relations.push(relation)
    }
    if (relations.length === 0 || this.links.length >= MAX_LINKS) return
    this.links.push({
      relations,
      href,
      sizes: tokenizer.attribute('sizes'),
      type: tokenizer.attribute('type'),
      media: tokenizer.attribute('media'),
      title: tokenizer.attribute('title'),
    })
  }
}

/** The known name that an attribute's value spells, by character references too. */
function nameIn<Name extends string>(table: NameTable<Name>, bytes: Uint8Array, range: Range): Name | undefined {
  const { start, end } = range
  const name = table.find(bytes, start, end)
  if (name !== undefined || end - start > MAX_ENCODED_NAME) return name
  const written = bytes.subarray(start, end)
  if (!written.includes(AMPERSAND)) return undefined
  const decoded = codesOf(decodeHTMLAttribute(String.fromCharCode(...written)))
  return table.find(decoded, 0, decoded.length)
}

function append<Key>(lists: Map<Key, Range[]>, key: Key, value: Range): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else push(list, value)
}

function push<Value>(list: Value[], value: Value): void {
  if (list.length < MAX_VALUES) list.push(value)
}
