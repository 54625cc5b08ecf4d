import { firstOf } from '../../first-of.ts'
import { isSiteRoot } from '../../web-url.ts'
import { MAX_LINE_LENGTH, type Normalize, rejectAddresses } from '../reading/normalize.ts'
import type { Fragment, TextsAfter } from '../reading/fragment.ts'
import type { JsonLd } from '../json-ld/json-ld.ts'
import { localeOf } from './locale.ts'
import type { Mark } from '../reading/marked-elements.ts'
import { joinNames, normalizeLinkTitle } from './person-name.ts'

/** `fragment` is null for an element that is too large to read. */
export interface MarkedFragment {
  /** Position of the start tag. */
  start: number
  /** The number of bytes after the headline; Infinity without a headline, or before it. */
  distance: number
  /** The attribute `datetime`. */
  time: string | null
  fragment: Fragment | null
}

/** Meta elements about images or videos: `og:image`, `og:image:url`, `og:image:width`. */
export interface TagNames {
  /** The names by their suffix: `og:image:url` by `url`, `og:image` by ''. */
  names: ReadonlyMap<string, string>
  /** The suffixes of the names with a URL. */
  urls: readonly string[]
}

/** The values of meta elements about one image or video, by the suffixes of their names. */
export type TagGroup = ReadonlyMap<string, string>

/** The marked elements and texts of a page that has one article. Teasers of a list are left out. */
export interface SourceBody {
  /** The first elements with a mark: elements after the headline, then elements before it. */
  marked(mark: Mark, max: number): Iterable<MarkedFragment>
  /** The element directly above the headline; null if there is none. */
  readonly aboveHeadline: Fragment | null
  /** The texts shortly after the headline. */
  readonly afterHeadline: TextsAfter
  /** `datetime` of the time elements that are not in an aside. */
  readonly times: readonly string[]
}

/** The page as sources see it. Each method tries the page's values in document order until `normalize` accepts one. */
export interface SourcePage {
  /** `content` of the meta elements of a name. */
  meta(name: string, normalize: Normalize): string | undefined
  /** `content` of all meta elements of a name. */
  metas(name: string, normalize: Normalize): string[]
  /** Meta elements in groups about one image or video each: https://ogp.me/#array */
  tagGroups(names: TagNames): readonly TagGroup[]
  /** All values of a microdata property. */
  itemprops(name: string, normalize: Normalize): Iterable<string>
  link(relation: string, attribute: 'href' | 'title', normalize: Normalize): string | undefined
  /** The best icon for a favicon's size. */
  icon(relations: readonly string[], normalize: Normalize): string | undefined
  /** Text of the title elements. */
  title(normalize: Normalize): string | undefined
  /** The `lang` of the document, or ''. */
  readonly language: string
  /** The language in `<meta http-equiv="content-language">`, or ''. */
  readonly contentLanguage: string
  /** The language, with the country if the page declares one: `en_US`. */
  readonly locale: string
  /** The name of the site, or ''. */
  readonly siteName: string
  /** The canonical URL in the Link header of the response; null if there is none. */
  readonly canonicalHeader: string | null
  /** The page's URL after redirects. */
  readonly url: URL
  /** The hosts of the page's own addresses: its URL, its canonical link and its og:url. */
  readonly hostnames: readonly string[]
  /** In milliseconds since 1970. Later dates are ignored. */
  readonly now: number
  readonly body: SourceBody
  readonly jsonLd: Pick<JsonLd, 'isProduct' | 'text' | 'time' | 'names' | 'image' | 'publisher' | 'webSite'>
  /** The absolute http(s) form of an address on the page, if somebody else can open it. */
  resolve(address: string): string | undefined
  /** The same for an image or an icon, which is neither the page itself nor the root of a site. */
  resolveFile(address: string): string | undefined
}

/** A place in a page where a field's value may be. */
export interface Source {
  /** The name in `--explain` and docs/extraction.md: `og:title`, `json-ld headline`. */
  label: string
  /** The first acceptable value, if there is one. */
  find(page: SourcePage, normalize: Normalize): string | undefined
  /** A guess from the URL or the body, after which reading continues for a better source. Guesses come last. */
  isGuess?: boolean
  /** Elements to keep while the page is read: meta elements of these names … */
  metaNames?: readonly string[]
  /** … elements with this `itemprop` … */
  itemprop?: string
  /** … and link elements with one of these relations. */
  linkRelations?: readonly string[]
}

/**
 * Meta elements by `property` or `name`. Vocabularies beyond the HTML Standard's:
 * - og:, article:, book: https://ogp.me
 * - twitter: https://developer.x.com/en/docs/x-for-websites/cards/overview/markup
 * - dc., dcterms.: https://www.dublincore.org/specifications/dublin-core/dcq-html/
 * - parsely-: https://docs.parse.ly/metadata-meta-tags/
 * - sailthru.: https://getstarted.meetmarigold.com/sailthru/ (horizon meta tags)
 * - citation_: https://scholar.google.com/intl/en/scholar/inclusion.html#indexing
 */
export function meta(name: string): Source {
  const label = name.includes(':') ? name : `meta ${name}`
  return { label, metaNames: [name], find: (page, normalize) => page.meta(name, normalize) }
}

/** The key of descriptions that their own quotes cut: `content="The "best" bread"`. */
export const CUT_DESCRIPTION = 'cut description'

/** The start of a description is better than none; of a title it is not. */
export const cutDescription: Source = {
  label: CUT_DESCRIPTION,
  find: (page, normalize) => page.meta(CUT_DESCRIPTION, normalize),
}

/** @param names separated by spaces */
export function metas(names: string): Source[] {
  return names.split(' ').map(meta)
}

/** A place that has one value; '' for none. */
export function place(label: string, valueIn: (page: SourcePage) => string): Source {
  return { label, find: (page, normalize) => normalize(valueIn(page)) }
}

export const canonicalHeader = place('Link header canonical', (page) => page.canonicalHeader ?? '')

/** og:url. The home page is not the address of an inner page, although some templates have it on all pages. */
export const ownAddress: Source = {
  ...meta('og:url'),
  find: (page, normalize) =>
    page.meta('og:url', (value) => {
      const address = normalize(value)
      return address !== undefined && isSiteRoot(new URL(address)) && !isSiteRoot(page.url) ? undefined : address
    }),
}

/** og:image:secure_url of a page on https whose og:image is http. */
export const secureImage: Source = {
  ...meta('og:image:secure_url'),
  find(page, normalize) {
    if (page.url.protocol !== 'https:' || page.meta('og:image', normalize)?.startsWith('http:') !== true)
      return undefined
    const secure = page.meta('og:image:secure_url', normalize)
    return secure?.startsWith('https:') === true ? secure : undefined
  },
}

const allNames =
  (namesIn: (page: SourcePage, name: string, normalize: Normalize) => readonly string[]) =>
  (name: string): Source => ({ ...meta(name), find: (page, normalize) => joinNames(namesIn(page, name, normalize)) })

/** Names in meta elements; several elements of the same name have one author each. */
export const metaAuthors = allNames((page, name, normalize) => page.metas(name, normalize))

/** Names in Dublin Core. Repositories list several as "Doe, Jo"; a single name may be "Example, Department of Music". */
export const catalogAuthors = allNames((page, name, normalize) => {
  const names = page.metas(name, normalize)
  const areInverted = names.length > 1 && names.every((one) => one.split(',').length === 2)
  return areInverted ? names.map(uninverted) : names
})

/** "Jo Doe" for "Doe, Jo". With `\s*` instead of one space, the expression would take quadratic time. */
const uninverted = (name: string) => name.replace(/^([^,]+), ?([^,]+)$/, '$2 $1')

/** Authors of a paper. A name may be written as "Doe, Jo", and one element may have several: "Doe, Jo; Roe, Ann". */
export const citationAuthors = allNames((page, name, normalize) =>
  page.metas(name, (text) =>
    joinNames(text.split(';', MAX_LINE_LENGTH).flatMap((one) => normalize(uninverted(one)) ?? [])),
  ),
)

/** Microdata on meta, link and time elements, with names from https://schema.org. */
export function itemprop(name: string): Source {
  const find: Source['find'] = (page, normalize) => firstOf(page.itemprops(name, normalize), (value) => value)
  return { label: `itemprop ${name}`, itemprop: name, find }
}

export const itempropAuthors: Source = {
  ...itemprop('author'),
  find: (page, normalize) => joinNames([...page.itemprops('author', normalize)]),
}

export const titleElement: Source = { label: 'title element', find: (page, normalize) => page.title(normalize) }

/** The document's language, written like og:locale. */
export const htmlLang = place('html lang', (page) => localeOf(page.language) ?? '')

/** The language that `<meta http-equiv="content-language">` names, which browsers use if no element has a `lang`. */
export const contentLanguage = place('content-language', (page) => page.contentLanguage)

/** The `href` of link elements. */
export function link(relation: string): Source {
  const find: Source['find'] = (page, normalize) => page.link(relation, 'href', normalize)
  return { label: `link ${relation}`, linkRelations: [relation], find }
}

/** Titles of link elements: on an author link it is the author's name. */
export function linkTitle(relation: string): Source {
  const find: Source['find'] = (page) => page.link(relation, 'title', normalizeLinkTitle)
  return { label: `link ${relation} title`, linkRelations: [relation], find }
}

/** The best icon among the links with one of the relations; the label has the first relation. */
export function icon(...relations: [string, ...string[]]): Source {
  const find: Source['find'] = (page, normalize) => page.icon(relations, normalize)
  return { label: `link ${relations[0]}`, linkRelations: relations, find }
}

const jsonLdValue =
  (read: 'text' | 'time' | 'names') =>
  (property: string): Source => ({
    label: `json-ld ${property}`,
    find: (page, normalize) => page.jsonLd[read](property, normalize),
  })

/* Properties of the JSON-LD node that the page is about: a text, a time, and the names of people. */
export const jsonLd = jsonLdValue('text')
export const jsonLdTime = jsonLdValue('time')
export const jsonLdNames = jsonLdValue('names')

type JsonLdPart = 'image' | 'publisher' | 'webSite'

/** A JSON-LD value that can be an object, such as an image. */
function jsonLdPart(part: JsonLdPart, accept = (one: Normalize) => one): Source {
  const find: Source['find'] = (page, normalize) => page.jsonLd[part](accept(normalize))
  return { label: part === 'webSite' ? 'json-ld WebSite name' : `json-ld ${part}`, find }
}

export const jsonLdImage = jsonLdPart('image')
export const jsonLdPublisher = jsonLdPart('publisher', rejectAddresses)
export const jsonLdWebSite = jsonLdPart('webSite', rejectAddresses)
