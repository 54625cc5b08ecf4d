import { keyOf, type PageTag, type PageTags } from './page-tags.ts'
import { Harvest, JSON_OEMBED } from '../../core/extract/page/harvest.ts'
import type { HtmlSource } from '../../core/extract/extract.ts'
import type { PageContent } from '../../core/fetch/ports.ts'
import { isRecord } from '../../core/json.ts'
import { Page } from '../../core/extract/page/page.ts'
import { PageReaders } from '../../core/extract/page/page-readers.ts'
import { NameLookup } from '../../core/extract/reading/name-lookup.ts'
import { equalsIgnoringCase, type Range, splitTokens } from '../../core/extract/reading/range.ts'
import { Sieve } from '../../core/extract/page/sieve.ts'
import { collapseWhitespace, truncate } from '../../core/extract/reading/text.ts'
import { wordSet } from '../../core/word-set.ts'
import type { Tokenizer } from '../../core/extract/reading/tokenizer.ts'
import { toAsciiCompatible } from '../../core/extract/reading/transcode.ts'

/** The maximum number of tags to list. Pages of large sites have about 60. */
const MAX_TAGS = 120

/** The maximum number of tags to select from. Articles with a list of references have several hundred. */
const MAX_CANDIDATES = 2_000

/** Longer values are truncated: no app shows as much. Signed and generated URLs of images have up to about 1,500. */
export const MAX_VALUE_CHARACTERS = 2_048

/** The maximum number of characters of all values, so that results can store the list. Typical pages have 3,000. */
const MAX_TOTAL_CHARACTERS = 16_000

/** Longer names are truncated. No app uses tags with such names. */
const MAX_NAME_CHARACTERS = 60

/** Relations of links that previews and checks use. Pages have dozens of others, such as style sheets. */
const RELATIONS = new NameLookup(wordSet('canonical icon apple-touch-icon apple-touch-icon-precomposed image_src'))

/** Names of meta elements that previews and checks use. All listed links are used. */
const READ_NAME =
  /^(?:og|twitter|pin):|^(?:description|theme-color|robots|googlebot|charset|pubdate|iso-8601-publish-date|article:author|pinterest|pinterest-rich-pin)$/

/** The JSON-LD that Mastodon, Google and Discord read: types of nodes, and their properties, whose names get the prefix. */
const JSON_LD: readonly { types: readonly unknown[]; isInGraph?: true; prefix: string; names: readonly string[] }[] = [
  { types: ['NewsArticle', 'WebPage'], prefix: '', names: ['headline', 'description', 'author', 'publisher'] },
  { types: ['WebSite'], isInGraph: true, prefix: 'site ', names: ['name'] },
  { types: ['VideoObject'], prefix: 'video ', names: ['name', 'description', 'thumbnailUrl', 'uploadDate'] },
]

/** Undecoded tags in document order. Keeps tags with any name, whereas `Harvest` keeps only tags that fields use. */
class TagHarvest extends Harvest {
  readonly found: { element: 'title' | 'meta' | 'link'; name: Range | string; value: Range; isLoose: boolean }[] = []
  isTruncated = false

  override title(content: Range): void {
    this.#keep('title', 'title', content)
  }

  override element(tokenizer: Tokenizer): void {
    if (tokenizer.tag === 'meta') this.#meta(tokenizer)
    else if (tokenizer.tag === 'link') this.#link(tokenizer)
    else if (tokenizer.tag === 'base') this.base ??= tokenizer.attribute('href')
  }

  override script(): void {}
  override frame(): void {}

  #meta(tokenizer: Tokenizer): void {
    const charset = tokenizer.attribute('charset')
    if (charset !== null) return this.#keep('meta', 'charset', charset)
    const content = tokenizer.attribute('content')
    if (content === null) return
    const property = tokenizer.attribute('property')
    const name = tokenizer.attribute('name')
    const pragma = tokenizer.attribute('http-equiv')
    if (property !== null) {
      for (const token of splitTokens(tokenizer.bytes, property)) this.#keep('meta', token, content, name !== null)
    }
    if (name !== null) this.#keep('meta', name, content)
    if (property === null && name === null && pragma !== null) this.#keep('meta', pragma, content)
  }

  #link(tokenizer: Tokenizer): void {
    const rel = tokenizer.attribute('rel')
    const href = tokenizer.attribute('href')
    if (href === null) return
    const { bytes } = tokenizer
    const type = tokenizer.attribute('type')
    // Mastodon and Discord do not require `rel=alternate`.
    if (type !== null && equalsIgnoringCase(bytes, type, JSON_OEMBED)) this.#keep('link', 'oembed', href)
    if (rel === null) return
    for (const token of splitTokens(bytes, rel)) {
      const relation = RELATIONS.find(bytes, token.start, token.end)
      if (relation !== undefined) this.#keep('link', relation, href)
    }
  }

  #keep(element: 'title' | 'meta' | 'link', name: Range | string, value: Range, isLoose = false): void {
    if (this.found.length < MAX_CANDIDATES) this.found.push({ element, name, value, isLoose })
    else this.isTruncated = true
  }
}

/** The tags of a page; null for other files, which cannot have any. */
export function tagsOfPage({ kind, bytes, charset, url }: PageContent): PageTags | null {
  if (kind !== 'html') return null
  return listPageTags({ bytes, encoding: charset.encoding, url })
}

/**
 * Lists the tags of a page. Reads the page again, because extraction keeps only the tags that the API uses. If there
 * are too many, keeps the tags that previews use, and the first tag of each name before the others. Never throws;
 * takes linear time.
 */
export function listPageTags(source: Pick<HtmlSource, 'bytes' | 'encoding' | 'url'>): PageTags {
  const { bytes, encoding } = toAsciiCompatible(source)
  const harvest = new TagHarvest()
  new Sieve(() => false, harvest).read(bytes, true)
  const readers = new PageReaders(bytes, encoding)
  const page = new Page(harvest, readers, source.url)
  const candidates: PageTag[] = []
  for (const { element, name, value, isLoose } of harvest.found) {
    const written = typeof name === 'string' ? name : page.reader.attribute(name)
    const trimmed = collapseWhitespace(written)
    const key = truncate(trimmed.toLowerCase(), MAX_NAME_CHARACTERS)
    if (key === '') continue
    const loose = isLoose || trimmed !== trimmed.toLowerCase() ? ({ isLoose: true } as const) : {}
    const text = element === 'title' ? page.reader.text(value) : page.reader.attribute(value)
    candidates.push({ element, name: key, ...normalized(text), ...loose, offset: value.start })
  }
  const blocks = readers.scripts.parse(harvest.jsonLd)
  for (const [name, value] of JSON_LD.flatMap((read) => jsonLdProperties(blocks, read))) {
    candidates.push({ element: 'json-ld', name, ...normalized(value), offset: harvest.jsonLd[0]!.start })
  }
  const tags = selected(candidates)
  // Without the fragment, which may be private to the requesting user, because the list is cached for all users.
  const baseUrl = page.baseUrl.replace(/#.*$/s, '')
  return { baseUrl, tags, isTruncated: harvest.isTruncated || tags.length < candidates.length }
}

/** The most important tags within the limits, in document order. */
function selected(candidates: readonly PageTag[]): PageTag[] {
  const seen = new Set<string>()
  const ranked = candidates.map((tag, index) => {
    const key = keyOf(tag)
    const isFirst = !seen.has(key)
    seen.add(key)
    const isRead = tag.element !== 'meta' || READ_NAME.test(tag.name)
    return { tag, index, rank: isRead ? (isFirst ? 0 : 1) : 2 }
  })
  let charactersLeft = MAX_TOTAL_CHARACTERS
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .filter(({ tag }) => {
      const length = tag.name.length + tag.value.length
      if (length > charactersLeft) return false
      charactersLeft -= length
      return true
    })
    .slice(0, MAX_TAGS)
    .toSorted((a, b) => a.index - b.index)
    .map(({ tag }) => tag)
}

/** The properties of the first block with a node of one of the types. */
function jsonLdProperties(
  blocks: readonly unknown[],
  { types, isInGraph, prefix, names }: (typeof JSON_LD)[number],
): [name: string, value: string][] {
  for (const block of blocks) {
    const graph = isInGraph && isRecord(block) ? block['@graph'] : undefined
    const nodes = Array.isArray(block) ? block : Array.isArray(graph) ? graph : [block]
    const node: unknown = nodes.find((item) => isRecord(item) && types.includes(item['@type']))
    if (!isRecord(node)) continue
    return names.flatMap((name): [string, string][] => {
      const value = name === 'publisher' || name === 'author' ? nameOf(node[name]) : node[name]
      return typeof value === 'string' ? [[prefix + name, value]] : []
    })
  }
  return []
}

/** The name of a person or an organization; for a list, the name of its first member. */
function nameOf(value: unknown): unknown {
  const organization: unknown = Array.isArray(value) ? value[0] : value
  return isRecord(organization) ? organization['name'] : undefined
}

function normalized(text: string): Pick<PageTag, 'value' | 'isTruncated' | 'length'> {
  const whole = collapseWhitespace(text)
  if (whole.length <= MAX_VALUE_CHARACTERS) return { value: whole }
  return { value: truncate(whole, MAX_VALUE_CHARACTERS), isTruncated: true, length: whole.length }
}
