import { append } from '../reading/append.ts'
import { asciiBytes } from '../reading/ascii.ts'
import { isCutByQuote } from '../reading/attribute-value.ts'
import { MarkedElements } from '../reading/marked-elements.ts'
import { Microdata } from './microdata.ts'
import { equalsIgnoringCase, isBlank, type Range, splitTokens, trimRange } from '../reading/range.ts'
import { CUT_DESCRIPTION } from '../sources/sources.ts'
import { LINK_RELATIONS, metaNameOf, OPEN_GRAPH_NAMES } from '../fields/source-names.ts'
import type { Tokenizer } from '../reading/tokenizer.ts'

const REFRESH = asciiBytes('refresh')
const CONTENT_LANGUAGE = asciiBytes('content-language')
/** The id of the tag that Next.js writes for `redirect()` when the head has been sent. */
const STREAMED_REFRESH = asciiBytes('__next-page-redirect')
const ALTERNATE = asciiBytes('alternate')
/** The type of a link to an oEmbed endpoint (https://oembed.com section 4). */
export const JSON_OEMBED = asciiBytes('application/json+oembed')

/** The maximum number of values per name, of titles, and so on. Only one value is used, and real pages have a handful. */
const MAX_VALUES = 100

/** The maximum number of known names in one `property`. Real pages have one or two. */
const MAX_PROPERTIES = 2

/** The maximum number of links to keep. Some pages have dozens of icons before the canonical link. */
const MAX_LINKS = 1_000

/** `<meta http-equiv="refresh">` */
export interface Refresh {
  content: Range
  isInNoscript: boolean
  /** Whether a framework has written the tag while it streamed the page, so that the page has other content too. */
  isStreamed: boolean
}

/** A link element with at least one relation that a source reads, undecoded. */
export interface Link {
  relations: readonly string[]
  href: Range
  sizes: Range | null
  type: Range | null
  media: Range | null
  title: Range | null
  isInNoscript: boolean
}

/** The elements of a page that have metadata, in document order, as undecoded ranges of its bytes. */
export class Harvest {
  readonly titles: Range[] = []
  readonly metas = new Map<string, Range[]>()
  /** The values of Open Graph tags with `name` instead of `property`. */
  readonly #named = new Map<string, Range[]>()
  readonly microdata = new Microdata()
  readonly marked = new MarkedElements()
  readonly links: Link[] = []
  readonly jsonLd: Range[] = []
  /** URLs or texts of the scripts that a browser would run. */
  readonly scripts: Range[] = []
  /** URLs and fallback texts of frames. */
  readonly frames: Range[] = []
  readonly refreshes: Refresh[] = []
  /** `onload` of the body. */
  loadScript: Range | null = null
  /** The first script after `</html>`. Some frameworks redirect with it from a page that they stream. */
  scriptAfterEnd: Range | null = null
  /** href of the first link to an oEmbed endpoint for JSON. */
  oembed: Range | null = null
  /** href of the first base element that has one. */
  base: Range | null = null
  /** lang of the first html tag that has one: a later html tag only adds missing attributes. */
  language: Range | null = null
  /** content of the first `<meta http-equiv="content-language">`. */
  contentLanguage: Range | null = null
  /** The position up to which the page was read. */
  end = 0
  hasOpenGraph = false
  /** Whether there is a non-blank og:title. */
  hasOpenGraphTitle = false

  /** The number of values that may end reading: JSON-LD scripts, marked elements and microdata. */
  get valueCount(): number {
    return this.jsonLd.length + this.marked.count + this.microdata.count
  }

  title(content: Range): void {
    push(this.titles, content)
  }

  jsonLdScript(content: Range): void {
    push(this.jsonLd, content)
  }

  /** A script that a browser would run. */
  script(source: Range | null, content: Range, isAfterEnd: boolean): void {
    push(this.scripts, source ?? content)
    if (isAfterEnd) this.scriptAfterEnd ??= content
  }

  frame(source: Range | null, content: Range): void {
    if (source !== null) push(this.frames, source)
    push(this.frames, content)
  }

  /** Keeps the values of the last start tag. */
  element(tokenizer: Tokenizer, isInNoscript: boolean): void {
    switch (tokenizer.tag) {
      case 'meta':
        return this.#meta(tokenizer, isInNoscript)
      case 'link':
        return this.#link(tokenizer, isInNoscript)
      case 'img':
        this.microdata.value(tokenizer, tokenizer.attribute('src'))
        break
      case 'time':
        this.microdata.value(tokenizer, tokenizer.attribute('datetime'))
        break
      case 'base':
        this.base ??= tokenizer.attribute('href')
        return
      case 'html':
        this.language ??= tokenizer.attribute('lang')
        return
      case 'body':
        this.loadScript ??= tokenizer.attribute('onload')
        return
    }
    this.marked.open(tokenizer, this.microdata.isInOtherItem)
  }

  #meta(tokenizer: Tokenizer, isInNoscript: boolean): void {
    const content = tokenizer.attribute('content')
    const { bytes } = tokenizer
    if (content === null) return
    const property = tokenizer.attribute('property')
    if (property !== null) {
      const keys = splitTokens(bytes, property).flatMap((name) => metaNameOf(bytes, name) ?? [])
      for (const key of keys.slice(0, MAX_PROPERTIES)) this.#keepMeta(tokenizer, key, content, true)
    }
    const name = tokenizer.attribute('name')
    const key = name === null ? undefined : metaNameOf(bytes, trimRange(bytes, name))
    if (key !== undefined) this.#keepMeta(tokenizer, key, content, false)
    const pragma = tokenizer.attribute('http-equiv')
    if (pragma !== null && equalsIgnoringCase(bytes, pragma, CONTENT_LANGUAGE)) this.contentLanguage ??= content
    if (pragma !== null && equalsIgnoringCase(bytes, pragma, REFRESH)) {
      const id = tokenizer.attribute('id')
      const isStreamed = id !== null && equalsIgnoringCase(bytes, id, STREAMED_REFRESH)
      push(this.refreshes, { content, isInNoscript, isStreamed })
    }
    this.microdata.value(tokenizer, content)
  }

  /** In Open Graph, `property` takes precedence over `name`: https://ogp.me */
  #keepMeta({ bytes, end }: Tokenizer, key: string, value: Range, isProperty: boolean): void {
    if (isCutByQuote(bytes, value, end)) {
      if (key.endsWith('description')) append(this.metas, CUT_DESCRIPTION, value, MAX_VALUES)
      return
    }
    if (!isProperty && key.startsWith('og:')) append(this.#named, key, value, MAX_VALUES)
    const named = isProperty ? this.#named.get(key) : undefined
    if (append(this.metas, key, value, MAX_VALUES) && named !== undefined) {
      const values = this.metas.get(key)!
      values.splice(values.length - 1 - named.length, 0, values.pop()!)
    }
    if (!OPEN_GRAPH_NAMES.has(key) || isBlank(bytes, value)) return
    this.hasOpenGraph = true
    if (key === 'og:title') this.hasOpenGraphTitle = true
  }

  #link(tokenizer: Tokenizer, isInNoscript: boolean): void {
    const { bytes } = tokenizer
    const href = tokenizer.attribute('href')
    if (href === null) return
    this.microdata.value(tokenizer, href)
    const rel = tokenizer.attribute('rel')
    if (rel === null) return
    const type = tokenizer.attribute('type')
    const isOembed = type !== null && equalsIgnoringCase(bytes, trimRange(bytes, type), JSON_OEMBED)
    const relations: string[] = []
    for (const token of splitTokens(bytes, rel)) {
      if (isOembed && equalsIgnoringCase(bytes, token, ALTERNATE)) this.oembed ??= href
      const relation = LINK_RELATIONS.findDecoded(bytes, token)
      if (relation !== undefined) relations.push(relation)
    }
    if (relations.length === 0 || this.links.length >= MAX_LINKS) return
    this.links.push({
      relations,
      href,
      sizes: tokenizer.attribute('sizes'),
      type,
      media: tokenizer.attribute('media'),
      title: tokenizer.attribute('title'),
      isInNoscript,
    })
  }
}

function push<Value>(list: Value[], value: Value): void {
  if (list.length < MAX_VALUES) list.push(value)
}
