import { type FieldValue, findValue, type Field } from '../sources/field.ts'
import { type Fragment, Fragments, itemTextsOf, NO_TEXTS, type TextsAfter } from '../reading/fragment.ts'
import { MAX_LINE_LENGTH, type Normalize, normalizeText } from '../reading/normalize.ts'
import type { Harvest } from './harvest.ts'
import { firstOf } from '../../first-of.ts'
import { redirectTarget } from '../../net/redirect.ts'
import { parseWebUrl } from '../../web-url.ts'
import { bestIcon } from './icons.ts'
import { JsonLd } from '../json-ld/json-ld.ts'
import { JsonLdScripts } from '../json-ld/json-ld-scripts.ts'
import { localeOf } from '../sources/locale.ts'
import { lettersOf } from '../sources/site-name.ts'
import type { Headline, Mark } from '../reading/marked-elements.ts'
import { type IsAddress, isAddressOf } from './page-addresses.ts'
import { isPageOrRoot, usableAddress } from './usable-address.ts'
import type { Range } from '../reading/range.ts'
import type { MarkedFragment, SourcePage, TagGroup, TagNames } from '../sources/sources.ts'
import { TextReader } from '../reading/text.ts'

/**
 * The maximum distance of a byline or date before the headline, in bytes. Mastheads and menus are before the headline too.
 */
const MAX_BYTES_BEFORE_HEADLINE = 3_000

/** The first groups are enough: the image of a response is usually the first one, and each URL has to be parsed. */
const MAX_GROUPS = 4

/** The host of an absolute URL: a name of at most 253 characters (RFC 1035). */
const HOST = /^\s*https?:\/\/([^/:?#\s]{1,253})(?=[/:?#\s]|$)/i

const normalizeLine = normalizeText(MAX_LINE_LENGTH)

/** Readers of a page's bytes. They cache their results, so all `Page`s created while the page arrives share them. */
export class PageReaders {
  readonly text: TextReader
  readonly scripts: JsonLdScripts
  readonly fragments: Fragments

  constructor(bytes: Uint8Array, encoding: string, isXml = false) {
    this.text = new TextReader(bytes, encoding)
    this.text.isXml = isXml
    this.scripts = new JsonLdScripts(this.text)
    this.fragments = new Fragments(this.text)
  }
}

/** The values that the sieve found in a page, decoded when a source reads them. `now` is in Unix milliseconds. */
export class Page implements SourcePage {
  readonly reader: TextReader
  readonly baseUrl: string
  canonicalHeader: string | null = null
  #jsonLd: JsonLd | null = null
  #isAddress: IsAddress | null = null
  #headline: Headline | undefined
  #locale: string | null = null
  #siteName: string | null = null
  #hostnames: readonly string[] | null = null
  readonly #values = new Map<Field, FieldValue | undefined>()

  constructor(
    readonly harvest: Harvest,
    readonly readers: PageReaders,
    readonly url: URL,
    readonly now = Infinity,
  ) {
    this.reader = readers.text
    this.baseUrl = this.#baseUrl(url)
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

  *marked(mark: Mark, max: number): Iterable<MarkedFragment> {
    const elements = this.harvest.marked.get(mark)
    if (elements.length === 0) return
    const headline = this.headline?.start ?? -1
    const after = elements.filter(({ start }) => start > headline)
    const before = elements.filter(({ start }) => start < headline && start > headline - MAX_BYTES_BEFORE_HEADLINE)
    for (const { start, time } of [...after, ...before].slice(0, max)) {
      yield {
        start,
        time: time && this.reader.attribute(time),
        fragment: this.readers.fragments.elementAt(start, this.harvest.end),
      }
    }
  }

  /** The first h1 whose text is most of the title, or else the first h1. Some themes have the site's name in an h1 too. */
  get headline(): Headline | undefined {
    const { headlines } = this.harvest.marked
    return (this.#headline ??= headlines.length < 2 ? headlines[0] : (this.#titleAmong(headlines) ?? headlines[0]))
  }

  #titleAmong(headlines: readonly Headline[]): Headline | undefined {
    const titles = [this.title(normalizeLine), this.meta('og:title', normalizeLine)].map((title) =>
      lettersOf(title ?? ''),
    )
    return headlines.find(({ start }) => {
      const text = lettersOf(this.readers.fragments.headlineAt(start, this.harvest.end))
      return titles.some((title) => title.includes(text) && text.length > title.length / 2)
    })
  }

  get aboveHeadline(): Fragment | null {
    const above = this.headline?.above ?? null
    return above === null ? null : this.readers.fragments.elementAt(above, this.harvest.end)
  }

  get afterHeadline(): TextsAfter {
    const { headline } = this
    return headline === undefined ? NO_TEXTS : this.readers.fragments.textsAfter(headline.start, this.harvest.end)
  }

  get times(): string[] {
    return this.harvest.marked.get('time').map(({ time }) => (time === null ? '' : this.reader.attribute(time)))
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
   * Text of the title elements. In feeds, which are parsed as HTML too, the CDATA delimiters are part of the text, so
   * they are removed.
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
    return usableAddress(address, this)
  }

  resolveFile(address: string): string | undefined {
    const url = this.resolveUrl(address)
    return url === undefined || isPageOrRoot(url, this.url) ? undefined : url.href
  }

  resolve(address: string): string | undefined {
    return this.resolveUrl(address)?.href
  }

  #first(ranges: readonly Range[] = [], normalize: Normalize): string | undefined {
    return firstOf(ranges, (range) => normalize(this.reader.attribute(range)))
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
