import type { Accept } from './accept.ts'
import type { Harvest } from './harvest.ts'
import { bestIcon } from './icons.ts'
import { JsonLd } from './json-ld.ts'
import { OwnAddress } from './own-address.ts'
import type { Range } from './range.ts'
import type { SourcePage } from './sources.ts'
import { TextReader } from './text.ts'

/** Bytes of JSON-LD that are parsed, over all blocks of a page: real pages rarely carry more than 100 KB. */
export const MAX_JSON_LD_BYTES = 524_288

/** As long as the service's own `url` parameter may be. A longer one is passed over: cut, it would be another URL. */
const MAX_URL_LENGTH = 8_192

/** A sieved page whose values are decoded when a rule asks for them. */
export class Page implements SourcePage {
  readonly reader: TextReader
  readonly baseUrl: string
  #jsonLd: JsonLd | null = null
  #ownAddress: OwnAddress | null = null

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

  /** Parsed when first asked for: most pages say all in their meta elements. */
  get jsonLd(): JsonLd {
    this.#jsonLd ??= new JsonLd(this.#jsonLdBlocks(), (address) => this.isOwn(address))
    return this.#jsonLd
  }

  /** Whether an address is one of the page's own: where it came from, or what it calls itself. */
  isOwn(address: string): boolean | undefined {
    const url = URL.parse(this.resolve(address) ?? '')
    if (url === null) return undefined
    this.#ownAddress ??= this.#ownAddresses()
    return this.#ownAddress.matches(url)
  }

  /** `content` of the meta elements of a name. */
  meta(key: string, accept: Accept): string | undefined {
    return this.#first(this.harvest.metas.get(key), accept)
  }

  /** `value` of the meta elements of a name that have no `content`. */
  metaValue(key: string, accept: Accept): string | undefined {
    return this.#first(this.harvest.metaValues.get(key), accept)
  }

  /** What meta, link and time elements say of a microdata property. */
  itemprop(name: string, accept: Accept): string | undefined {
    return this.#first(this.harvest.microdata.get(name), accept)
  }

  /** `href` or `title` of the link elements of a relation. */
  link(relation: string, attribute: 'href' | 'title', accept: Accept): string | undefined {
    for (const link of this.harvest.links) {
      const range = link[attribute]
      const value = range !== null && link.relations.includes(relation) && accept(this.reader.attribute(range))
      if (typeof value === 'string') return value
    }
    return undefined
  }

  /** The icon that fits best, among links with one of the relations. */
  icon(relations: readonly string[], accept: Accept): string | undefined {
    const links = this.harvest.links.filter((link) => relations.some((relation) => link.relations.includes(relation)))
    return bestIcon(links, this.reader, accept)
  }

  /** Text of the title elements. In a feed, which is read as HTML too, a CDATA section's marks are part of it. */
  title(accept: Accept): string | undefined {
    for (const range of this.harvest.titles) {
      const text = this.reader.text(range).trim()
      const isSection = text.startsWith('<![CDATA[') && text.endsWith(']]>')
      const value = accept(isSection ? text.slice('<![CDATA['.length, -']]>'.length) : text)
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

  #ownAddresses(): OwnAddress {
    const resolve: Accept = (address) => this.resolve(address)
    const named = [this.link('canonical', 'href', resolve), this.meta('og:url', resolve)]
    return new OwnAddress([this.url, ...named.filter((href) => href !== undefined).map((href) => new URL(href))])
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
