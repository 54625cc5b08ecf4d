import { isAuthorPage, isAuthorRelation, isTopicLink } from './author-link.ts'
import { isAside, isOtherDate, rolesOfTag } from './class-words.ts'
import { attributeBits, HIDDEN_TAGS, RAW_TEXT_TAGS, TIME_TAGS, VOID_TAGS } from './html-names.ts'
import { NameLookup } from './name-lookup.ts'
import { isBlank, type Range } from './range.ts'
import { collapseWhitespace, type TextReader } from './text.ts'
import { Tokenizer } from './tokenizer.ts'

interface Limits {
  bytes: number
  tags: number
  /** Of all texts. */
  characters: number
}

interface Part extends Range {
  limits: Limits
}

/** The maximum size of an element to read. Bylines have a few hundred bytes. */
const ELEMENT_LIMITS: Limits = { bytes: 2_048, tags: 50, characters: Infinity }

/**
 * Up to where the author and the date of an article are after its headline. Between them may be pictures and buttons with
 * long attributes, but little text.
 */
export const MAX_BYTES_AFTER_HEADLINE = 8_192
const HEADLINE_LIMITS: Limits = { bytes: MAX_BYTES_AFTER_HEADLINE, tags: 100, characters: 500 }

/**
 * How markup marks an inner element as a name: hCard's `fn`, microdata, `rel=author`, or a link to an author's page; or
 * as a part of a value: https://microformats.org/wiki/value-class-pattern
 */
export type NameMark = 'fn' | 'itemprop' | 'relation' | 'page' | 'value'

/** Classes of hCard, and of https://microformats.org/wiki/microformats2 */
const FN = new NameLookup(['fn', 'p-name'])
const NAME = new NameLookup(['name'])
const VALUE = new NameLookup(['value', 'value-title'])
/** https://timeago.yarp.com and its many successors: the `title` is the time. */
const TIMEAGO = new NameLookup(['timeago'])

/** An element without any of these has no mark. */
const MARKING = attributeBits('class', 'itemprop', 'rel', 'href')
const NO_MARKS: readonly NameMark[] = []

/** A name in an inner element, and the text before the element. */
export interface MarkedName {
  text: string
  before: string
}

interface OpenElement {
  tag: string
  /** Whether it is a link to a topic. */
  isTopic: boolean
  marks: readonly NameMark[]
  /** The time that the text of the element shows. */
  time: string | null
  /** The number of texts before the element. */
  firstText: number
}

/** The visible texts of a small part of a page. */
export type Fragment = Readonly<Pick<FragmentReader, 'texts' | 'times' | 'topics' | 'attributeText' | 'time' | 'names'>>

/** The texts after the headline, and the times that they show, by their index. */
export type TextsAfter = Pick<Fragment, 'texts' | 'times'>

export const NO_TEXTS: TextsAfter = { texts: [], times: new Map() }

/** The maximum number of elements of a page to read. A page has one or two bylines and dates. */
const MAX_FRAGMENTS = 16

/** Reads elements, each once, and only up to `end`: the result does not depend on how much of the page has arrived. */
export class Fragments {
  readonly #elements = new Map<number, Fragment | null>()
  readonly #textsAfter = new Map<number, TextsAfter>()
  readonly #headlines = new Map<number, string>()

  constructor(readonly reader: TextReader) {}

  /** The element whose start tag begins at `start`; null when it is too large or `MAX_FRAGMENTS` others were read. */
  elementAt(start: number, end: number): Fragment | null {
    const known = this.#elements.get(start)
    if (known !== undefined || this.#elements.size >= MAX_FRAGMENTS) return known ?? null
    const reader = new FragmentReader(this.reader, start, end, ELEMENT_LIMITS)
    const fragment = reader.readElement() ? reader : null
    if (fragment !== null || !reader.isCut) this.#elements.set(start, fragment)
    return fragment
  }

  /** The texts shortly after the headline whose start tag begins at `start`, often the author and the date. */
  textsAfter(start: number, end: number): TextsAfter {
    const read = (reader: FragmentReader) => (reader.readElement() ? reader.readOn() : NO_TEXTS)
    return this.#readOnce(this.#textsAfter, { start, end, limits: HEADLINE_LIMITS }, read)
  }

  /** The text of the headline whose start tag begins at `start`. */
  headlineAt(start: number, end: number): string {
    const read = (reader: FragmentReader) => (reader.readElement() ? reader.texts.join(' ') : '')
    return this.#readOnce(this.#headlines, { start, end, limits: ELEMENT_LIMITS }, read)
  }

  /** Reads a part of the page, unless it was read before. A part that may be incomplete is read again. */
  #readOnce<Value>(known: Map<number, Value>, part: Part, read: (reader: FragmentReader) => Value): Value {
    const { start, end, limits } = part
    const value = known.get(start)
    // Up to another end, it may have less.
    if (value !== undefined && end >= start + limits.bytes) return value
    const reader = new FragmentReader(this.reader, start, end, limits)
    const found = read(reader)
    if (!reader.isCut) known.set(start, found)
    return found
  }
}

/** Reads a part of a page again with the sieve's tokenizer. Limits on bytes and tags bound the time. */
class FragmentReader {
  /** Non-blank texts, one for each run of text. Runs are separate because style sheets may put space between them. */
  readonly texts: string[] = []
  /** `content` of the outermost element, or else its `title`. */
  attributeText: string | null = null
  /** The times that texts show, by the index of the text. */
  readonly times = new Map<number, string>()
  /** The time of the first element with one. */
  time: string | null = null
  /** The texts of inner elements marked as names, by mark. */
  readonly names: Partial<Record<NameMark, MarkedName[]>> = {}
  /** The indexes of the texts of links to topics. */
  readonly topics = new Set<number>()
  /** Whether the part may be incomplete, because the page has not been read further yet. */
  readonly isCut: boolean
  readonly #tokenizer: Tokenizer
  readonly #open: OpenElement[] = []
  #tags = 0
  #characters = 0
  /** Depth of the outermost hidden element; 0 when there is none. */
  #hiddenAt = 0

  constructor(
    readonly reader: TextReader,
    readonly start: number,
    end: number,
    private readonly limits: Limits,
  ) {
    this.isCut = end < start + limits.bytes
    this.#tokenizer = new Tokenizer(reader.bytes.subarray(start, Math.min(end, start + limits.bytes)))
  }

  /** Reads the first element. Returns false if its end tag is not within the limits. */
  readElement(): boolean {
    while (this.#readToken()) if (this.#open.length === 0) return true
    return false
  }

  /** Reads up to the limits and returns the texts that were found. */
  readOn(): TextsAfter {
    this.texts.length = 0
    this.times.clear()
    while (this.#readToken());
    return this
  }

  #readToken(): boolean {
    const tokenizer = this.#tokenizer
    const token = tokenizer.next()
    if (token === 'done') return false
    if (token === 'text') this.#text()
    else if (token === 'start') this.#start()
    else this.#end()
    return token === 'text' ? this.#characters < this.limits.characters : ++this.#tags < this.limits.tags
  }

  #text(): void {
    if (this.#hiddenAt > 0 || isBlank(this.#tokenizer.bytes, this.#tokenizer)) return
    const text = collapseWhitespace(this.reader.text(this.#inPage(this.#tokenizer)))
    if (text === '') return
    const time = this.#open.findLast((element) => element.time !== null)?.time ?? null
    if (time !== null) this.times.set(this.texts.length, time)
    if (this.#open.some(({ isTopic }) => isTopic)) this.topics.add(this.texts.length)
    this.texts.push(text)
    this.#characters += text.length
  }

  #start(): void {
    const tokenizer = this.#tokenizer
    const { tag } = tokenizer
    if (this.#tags === 0) this.attributeText = this.#attribute('content') ?? this.#attribute('title')
    // The outermost element is the one to read, such as the date of a change.
    const hides = this.#hiddenAt === 0 && this.#tags > 0 && isHidden(tokenizer)
    const time = this.#hiddenAt === 0 && !hides ? this.#timeOfTag() : null
    this.time ??= time
    const marks = marksOf(tokenizer)
    const content = marks.includes('itemprop') ? this.#attribute('content') : null
    if (content !== null) this.#addName(['itemprop'], this.texts.length, content)
    const value = marks.includes('value') ? (this.#attribute('datetime') ?? this.#attribute('title')) : null
    if (value !== null) this.#addName(['value'], this.texts.length, value)
    if (RAW_TEXT_TAGS.has(tag)) {
      tokenizer.readRawText()
      tokenizer.next()
    } else if (tag !== '' && !VOID_TAGS.has(tag) && !tokenizer.selfClosing) {
      const isTopic = tag === 'a' && isTopicLink(tokenizer)
      this.#open.push({ tag, isTopic, marks: content === null ? marks : NO_MARKS, time, firstText: this.texts.length })
      if (hides) this.#hiddenAt = this.#open.length
    }
  }

  #end(): void {
    const { tag } = this.#tokenizer
    const at = this.#open.findLastIndex((element) => element.tag === tag)
    if (at < 0) return
    for (const { marks, firstText } of this.#open.splice(at)) {
      if (marks.length > 0) this.#addName(marks, firstText, this.texts.slice(firstText).join(' '))
    }
    if (this.#open.length < this.#hiddenAt) this.#hiddenAt = 0
  }

  #timeOfTag(): string | null {
    const tokenizer = this.#tokenizer
    if (TIME_TAGS.has(tokenizer.tag)) return this.#attribute('datetime')
    const names = tokenizer.attribute('class')
    return names !== null && TIMEAGO.hasToken(tokenizer.bytes, names) ? this.#attribute('title') : null
  }

  #addName(marks: readonly NameMark[], at: number, text: string): void {
    const name = { text, before: this.texts[at - 1] ?? '' }
    for (const mark of marks) (this.names[mark] ??= []).push(name)
  }

  #attribute(name: 'content' | 'title' | 'datetime'): string | null {
    const range = this.#tokenizer.attribute(name)
    return range && this.reader.attribute(this.#inPage(range))
  }

  #inPage({ start, end }: Range): Range {
    return { start: this.start + start, end: this.start + end }
  }
}

/** Whether the text of the element is ignored: it is hidden, or not about the article. */
function isHidden(tokenizer: Tokenizer): boolean {
  if (HIDDEN_TAGS.has(tokenizer.tag)) return true
  const roles = rolesOfTag(tokenizer)
  return isAside(roles) || isOtherDate(roles)
}

function marksOf(tokenizer: Tokenizer): readonly NameMark[] {
  if (!tokenizer.hasAny(MARKING)) return NO_MARKS
  const { bytes } = tokenizer
  const names = tokenizer.attribute('class')
  const properties = tokenizer.attribute('itemprop')
  const marks: NameMark[] = []
  if (names !== null && FN.hasToken(bytes, names)) marks.push('fn')
  if (names !== null && VALUE.hasToken(bytes, names)) marks.push('value')
  if (properties !== null && NAME.hasToken(bytes, properties)) marks.push('itemprop')
  if (tokenizer.tag === 'a' && isAuthorRelation(tokenizer)) marks.push('relation')
  if (tokenizer.tag === 'a' && isAuthorPage(tokenizer)) marks.push('page')
  return marks
}

/** The values of an element with `itemprop`: names of inner items, or else its `content` or `title`, or else its text. */
export function itemTextsOf(fragment: Fragment | null, property: string): readonly string[] {
  if (fragment === null) return []
  const time = property.startsWith('date') ? fragment.time : null
  return (
    fragment.names.itemprop?.map(({ text }) => text) ?? [fragment.attributeText ?? time ?? fragment.texts.join(' ')]
  )
}
