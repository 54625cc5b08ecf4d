import { type FieldValue, findValue, type Field } from '../sources/field.ts'
import { itemTextsOf } from '../reading/fragment.ts'
import { MAX_LINE_LENGTH, type Normalize, normalizeText } from '../reading/normalize.ts'
import type { Harvest } from './harvest.ts'
import { firstOf } from '../../first-of.ts'
import { redirectTarget } from '../../net/redirect.ts'
import { parseWebUrl } from '../../web-url.ts'
import { bestIcon } from './icons.ts'
import { JsonLd } from '../json-ld/json-ld.ts'
import { localeOf } from '../sources/locale.ts'
import { type IsAddress, isAddressOf } from './page-addresses.ts'
import { PageBody } from './page-body.ts'
import type { PageReaders } from './page-readers.ts'
import { isPageOrRoot, usableAddress } from './usable-address.ts'
import type { Range } from '../reading/range.ts'
import type { SourcePage, TagGroup, TagNames } from '../sources/sources.ts'
import type { TextReader } from '../reading/text.ts'

/** The first groups are enough: the image of a response is usually the first one, and each URL has to be parsed. */
const MAX_GROUPS = 4

/** The host of an absolute URL: a name of at most 253 characters (RFC 1035). */
const HOST = /^\s*https?:\/\/([^/:?#\s]{1,253})(?=[/:?#\s]|$)/i

const normalizeLine = normalizeText(MAX_LINE_LENGTH)

/** The values that the sieve found in a page, decoded when a source reads them. `now` is in Unix milliseconds. */
export class Page implements SourcePage {
  readonly reader: TextReader
  baseUrl: string
  canonicalHeader: string | null = null
  #jsonLd: JsonLd | null = null
  #isAddress: IsAddress | null = null
  #locale: string | null = null
  #siteName: string | null = null
  #hostnames: readonly string[] | null = null
  readonly body: PageBody
  readonly #values = new Map<Field, FieldValue | undefined>()
  /** The URLs that addresses mean, because several sources read the same addresses. */
  readonly #urls = new Map<string, URL | undefined>()

  constructor(
    readonly harvest: Harvest,
    readonly readers: PageReaders,
    readonly url: URL,
    readonly now = Infinity,
  ) {
    this.reader = readers.text
    this.baseUrl = this.#baseUrl(url)
    this.body = new PageBody(harvest, readers, this)
  }

  /** Parsed on first use, because most pages have everything in their meta elements. */
  get jsonLd(): JsonLd {
    this.#jsonLd ??= new JsonLd(this.readers.scripts.parse(this.harvest.jsonLd), (address) => this.isOwn(address))
    return this.#jsonLd
  }

  /** Whether an address is one of the page's own; undefined when that is unknown. */
  isOwn(address: string): boolean | undefined {
    const url = this.resolveUrl(address)
    if (url === undefined) return undefined
    const named = () => this.#named((href) => this.resolve(href)).map((href) => new URL(href))
    this.#isAddress ??= isAddressOf([this.url, ...named()])
    return this.#isAddress(url)
  }

  get hostnames(): readonly string[] {
    if (this.#hostnames !== null) return this.#hostnames
    const host: Normalize = (address) => HOST.exec(address)?.[1]?.toLowerCase()
    return (this.#hostnames = [...new Set([this.url.hostname, ...this.#named(host)])])
  }

  /** The value of a field, cached. */
  fieldValue(field: Field): FieldValue | undefined {
    return this.#values.getOrInsertComputed(field, () => findValue(field, this))
  }

  /** The value of a field that the rest of the page cannot improve; undefined if there is none yet. */
  reliableValue(field: Field): FieldValue | undefined {
    const found = findValue(field, this, false)
    if (found === undefined || found.isFallback) return undefined
    this.#values.set(field, found)
    return found
  }

  meta(key: string, normalize: Normalize): string | undefined {
    return this.#first(this.harvest.metas.get(key), normalize)
  }

  metas(key: string, normalize: Normalize): string[] {
    return (this.harvest.metas.get(key) ?? []).flatMap((range) => normalize(this.reader.attribute(range)) ?? [])
  }

  tagGroups({ names, urls }: TagNames): readonly TagGroup[] {
    if (!urls.some((suffix) => this.harvest.metas.has(names.get(suffix)!))) return []
    const tags = [...names].flatMap(([suffix, name]) =>
      (this.harvest.metas.get(name) ?? []).map((range) => ({ suffix, range })),
    )
    let group = new Map<string, string>()
    const groups = [group]
    for (const { suffix, range } of tags.toSorted((a, b) => a.range.start - b.range.start)) {
      if (group.has(suffix) && urls.includes(suffix)) {
        if (groups.length === MAX_GROUPS) break
        groups.push((group = new Map()))
      }
      if (!group.has(suffix)) group.set(suffix, this.reader.attribute(range))
    }
    return groups
  }

  *itemprops(name: string, normalize: Normalize): Iterable<string> {
    for (const { value, isElement } of this.harvest.microdata.get(name)) {
      const texts = isElement
        ? itemTextsOf(this.readers.fragments.elementAt(value.start, this.harvest.end), name)
        : [this.reader.attribute(value)]
      for (const text of texts) {
        const found = normalize(text)
        if (found !== undefined) yield found
      }
    }
  }

  get siteName(): string {
    this.#siteName ??= this.meta('og:site_name', normalizeLine) ?? ''
    return this.#siteName
  }

  get locale(): string {
    this.#locale ??=
      this.meta('og:locale', localeOf) ?? localeOf(this.language) ?? localeOf(this.contentLanguage) ?? this.language
    return this.#locale
  }

  link(relation: string, attribute: 'href' | 'title', normalize: Normalize): string | undefined {
    const links = this.harvest.links.filter(({ relations }) => relations.includes(relation))
    const ranges = links.flatMap((link) => link[attribute] ?? [])
    return this.#first(ranges, normalize)
  }

  icon(relations: readonly string[], normalize: Normalize): string | undefined {
    const links = this.harvest.links.filter((link) => relations.some((relation) => link.relations.includes(relation)))
    return bestIcon(links, this.reader, normalize)
  }

  /** The oEmbed endpoint that the page declares; null if there is none, or if callers could not request its URL. */
  get oembed(): URL | null {
    const { oembed } = this.harvest
    const url = oembed && this.resolveUrl(this.reader.attribute(oembed))
    if (!url || url.username !== '' || url.password !== '') return null
    const endpoint = redirectTarget(url.href, this.url)
    return endpoint === 'invalid' ? null : endpoint.next
  }

  /**
   * Text of the title elements. In XHTML, the CDATA delimiters are part of the text, so they are removed.
   */
  title(normalize: Normalize): string | undefined {
    return firstOf(this.harvest.titles, (range) => {
      const text = this.reader.text(range).trim()
      const isSection = text.startsWith('<![CDATA[') && text.endsWith(']]>')
      return normalize(isSection ? text.slice('<![CDATA['.length, -']]>'.length) : text)
    })
  }

  get language(): string {
    return this.harvest.language === null ? '' : this.reader.attribute(this.harvest.language)
  }

  /** A list of languages is none: https://html.spec.whatwg.org/multipage/semantics.html#pragma-set-default-language */
  get contentLanguage(): string {
    const { contentLanguage } = this.harvest
    const tag = contentLanguage === null ? '' : this.reader.attribute(contentLanguage)
    return tag.includes(',') ? '' : tag
  }

  /**
   * Resolves an address on the page; undefined unless somebody else can open it.
   * Source: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#resolving-urls
   */
  resolveUrl(address: string): URL | undefined {
    return this.#urls.getOrInsertComputed(address, () => usableAddress(address, this))
  }

  resolveFile(address: string): string | undefined {
    const url = this.resolveUrl(address)
    return url === undefined || isPageOrRoot(url, this.url) ? undefined : url.href
  }

  resolve(address: string): string | undefined {
    return this.resolveUrl(address)?.href
  }

  #first(ranges: readonly Range[] | undefined, normalize: Normalize): string | undefined {
    return ranges && firstOf(ranges, (range) => normalize(this.reader.attribute(range)))
  }

  /** https://html.spec.whatwg.org/multipage/semantics.html#frozen-base-url */
  #baseUrl(url: URL): string {
    const { base } = this.harvest
    const address = base === null ? '' : this.reader.attribute(base).trim()
    return parseWebUrl(address, url.href)?.href ?? url.href
  }

  /** The canonical link and og:url. */
  #named(normalize: Normalize): string[] {
    return [this.link('canonical', 'href', normalize), this.meta('og:url', normalize)].flatMap((one) => one ?? [])
  }
}
