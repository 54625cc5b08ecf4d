import type { Harvest, Link } from './harvest.ts'
import { JsonLd } from './json-ld.ts'
import type { Itemprop, LinkRelation, MetaKey } from './meta-keys.ts'
import type { Range } from './range.ts'
import { TextReader } from './text.ts'

/**
 * Bytes of JSON-LD that are parsed, over all blocks of a page. The largest that real pages carry are near 300 KB.
 */
const MAX_JSON_LD_BYTES = 524_288

/** As long as the service's own `url` parameter may be. A longer one is passed over: cut, it would be another URL. */
const MAX_URL_LENGTH = 8_192

/** Judges a value: what the field will hold, or undefined to have the next value tried. */
export type Accept = (value: string) => string | undefined

/** A sieved page whose values are decoded when a rule asks for them. */
export class Page {
  readonly reader: TextReader
  readonly baseUrl: string
  #jsonLd: JsonLd | null = null

  /** @param url where the page came from, after redirects */
  constructor(
    readonly harvest: Harvest,
    bytes: Uint8Array,
    encoding: string,
    readonly url: URL,
  ) {
    this.reader = new TextReader(bytes, encoding)
    this.baseUrl = this.#baseUrl(url)
  }

  get links(): readonly Link[] {
    return this.harvest.links
  }

  get jsonLd(): JsonLd {
    this.#jsonLd ??= new JsonLd(this.#jsonLdBlocks())
    return this.#jsonLd
  }

  /** The first accepted value of a meta element; `value` stands in where no `content` will do. */
  meta(key: MetaKey, accept: Accept): string | undefined {
    return this.#first(this.harvest.metas.get(key), accept)
  }

  metaValue(key: MetaKey, accept: Accept): string | undefined {
    return this.#first(this.harvest.metaValues.get(key), accept)
  }

  itemprop(name: Itemprop, accept: Accept): string | undefined {
    return this.#first(this.harvest.itemprops.get(name), accept)
  }

  /** `href` or `title` of the link elements of a relation. */
  link(relation: LinkRelation, attribute: 'href' | 'title', accept: Accept): string | undefined {
    for (const link of this.harvest.links) {
      const range = link[attribute]
      const value = range !== null && link.relations.includes(relation) && accept(this.reader.attribute(range))
      if (typeof value === 'string') return value
    }
    return undefined
  }

  title(accept: Accept): string | undefined {
    for (const range of this.harvest.titles) {
      const value = accept(this.reader.text(range))
      if (value !== undefined) return value
    }
    return undefined
  }

  /** Language of the document as it says it, '' when it does not. */
  get language(): string {
    return this.harvest.language === null ? '' : this.reader.attribute(this.harvest.language)
  }

  /**
   * The absolute form of an address the page wrote; undefined unless it is http(s) and of reasonable length.
   * Source: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#resolving-urls
   */
  resolve(address: string): string | undefined {
    const text = address.trim()
    if (text === '' || text.length > MAX_URL_LENGTH || text.includes('{{')) return undefined
    const url = URL.parse(text, this.baseUrl)
    return url !== null && isHttp(url) && url.href.length <= MAX_URL_LENGTH ? url.href : undefined
  }

  #first(ranges: readonly Range[] | undefined, accept: Accept): string | undefined {
    if (ranges === undefined) return undefined
    for (const range of ranges) {
      const value = accept(this.reader.attribute(range))
      if (value !== undefined) return value
    }
    return undefined
  }

  /** https://html.spec.whatwg.org/multipage/semantics.html#frozen-base-url */
  #baseUrl(url: URL): string {
    if (this.harvest.base === null) return url.href
    const base = URL.parse(this.reader.attribute(this.harvest.base).trim(), url.href)
    return base !== null && isHttp(base) ? base.href : url.href
  }

  #jsonLdBlocks(): string[] {
    const blocks: string[] = []
    let bytesLeft = MAX_JSON_LD_BYTES
    for (const range of this.harvest.jsonLd) {
      const length = range.end - range.start
      if (length > bytesLeft) continue
      bytesLeft -= length
      blocks.push(this.reader.raw(range, length))
    }
    return blocks
  }
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}
