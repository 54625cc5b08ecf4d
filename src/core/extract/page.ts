import type { Normalize } from './normalize.ts'
import type { Harvest } from './harvest.ts'
import { MAX_URL_CHARACTERS } from '../limits.ts'
import { bestIcon } from './icons.ts'
import { JsonLd } from './json-ld.ts'
import { PageAddresses } from './page-addresses.ts'
import type { Range } from './range.ts'
import type { SourcePage } from './sources.ts'
import { TextReader } from './text.ts'

/** Most bytes of JSON-LD to parse, over all blocks of a page: real pages rarely have more than 100 KB. */
export const MAX_JSON_LD_BYTES = 524_288

/** A page after the sieve. Values are decoded when a source reads them. */
export class Page implements SourcePage {
  readonly reader: TextReader
  readonly baseUrl: string
  #jsonLd: JsonLd | null = null
  #addresses: PageAddresses | null = null

  /** @param url the page's URL after redirects */
  constructor(
    readonly harvest: Harvest,
    bytes: Uint8Array,
    encoding: string,
    readonly url: URL,
  ) {
    this.reader = new TextReader(bytes, encoding)
    this.baseUrl = this.#baseUrl(url)
  }

  /** Parsed on first use: most pages have everything in their meta elements. */
  get jsonLd(): JsonLd {
    this.#jsonLd ??= new JsonLd(this.#jsonLdBlocks(), (address) => this.isOwn(address))
    return this.#jsonLd
  }

  /** Whether an address is one of the page's own; undefined when that is unknown. */
  isOwn(address: string): boolean | undefined {
    const url = URL.parse(this.resolve(address) ?? '')
    if (url === null) return undefined
    this.#addresses ??= this.#readAddresses()
    return this.#addresses.includes(url)
  }

  /** `content` of the meta elements of a name. */
  meta(key: string, normalize: Normalize): string | undefined {
    return this.#first(this.harvest.metas.get(key), normalize)
  }

  /** `value` of the meta elements of a name that have no `content`. */
  metaValue(key: string, normalize: Normalize): string | undefined {
    return this.#first(this.harvest.metaValues.get(key), normalize)
  }

  /** A microdata property of meta, link and time elements. */
  itemprop(name: string, normalize: Normalize): string | undefined {
    return this.#first(this.harvest.microdata.get(name), normalize)
  }

  /** `href` or `title` of the link elements of a relation. */
  link(relation: string, attribute: 'href' | 'title', normalize: Normalize): string | undefined {
    for (const link of this.harvest.links) {
      const range = link[attribute]
      const value = range !== null && link.relations.includes(relation) && normalize(this.reader.attribute(range))
      if (typeof value === 'string') return value
    }
    return undefined
  }

  /** The icon that fits best, among links with one of the relations. */
  icon(relations: readonly string[], normalize: Normalize): string | undefined {
    const links = this.harvest.links.filter((link) => relations.some((relation) => link.relations.includes(relation)))
    return bestIcon(links, this.reader, normalize)
  }

  /** Text of the title elements. In feeds, which are parsed as HTML too, the CDATA delimiters are part of the text. */
  title(normalize: Normalize): string | undefined {
    for (const range of this.harvest.titles) {
      const text = this.reader.text(range).trim()
      const isSection = text.startsWith('<![CDATA[') && text.endsWith(']]>')
      const value = normalize(isSection ? text.slice('<![CDATA['.length, -']]>'.length) : text)
      if (value !== undefined) return value
    }
    return undefined
  }

  /** The `lang` of the document, or ''. */
  get language(): string {
    return this.harvest.language === null ? '' : this.reader.attribute(this.harvest.language)
  }

  /**
   * Resolves an address on the page; undefined unless the result is http(s) and not too long. Longer ones are skipped,
   * since a truncated URL would be another URL.
   * Source: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#resolving-urls
   */
  resolve(address: string): string | undefined {
    const text = address.trim()
    if (text === '' || text.length > MAX_URL_CHARACTERS || text.includes('{{')) return undefined
    const url = URL.parse(text, this.baseUrl)
    return url !== null && isHttp(url) && url.href.length <= MAX_URL_CHARACTERS ? url.href : undefined
  }

  #first(ranges: readonly Range[] | undefined, normalize: Normalize): string | undefined {
    if (ranges === undefined) return undefined
    for (const range of ranges) {
      const value = normalize(this.reader.attribute(range))
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

  #readAddresses(): PageAddresses {
    const resolve: Normalize = (address) => this.resolve(address)
    const named = [this.link('canonical', 'href', resolve), this.meta('og:url', resolve)]
    return new PageAddresses([this.url, ...named.filter((href) => href !== undefined).map((href) => new URL(href))])
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
