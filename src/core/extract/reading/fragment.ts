import { asciiBytes } from './ascii.ts'
import { isAuthorPage, isAuthorRelation } from './author-link.ts'
import { isAside, isOtherDate, rolesOfTag } from './class-words.ts'
import { HIDDEN_TAGS, RAW_TEXT_TAGS, VOID_TAGS } from './html-names.ts'
import { hasToken, isBlank, type Range } from './range.ts'
import { collapseWhitespace, type TextReader } from './text.ts'
import { Tokenizer } from './tokenizer.ts'

/** The maximum size of an element to read. Bylines have a few hundred bytes. */
const MAX_FRAGMENT_BYTES = 2_048
const MAX_FRAGMENT_TAGS = 50

/** How markup marks an inner element as a name: hCard's `fn`, microdata, `rel=author`, or a link to an author's page. */
export type NameMark = 'fn' | 'itemprop' | 'relation' | 'page'

const FN = asciiBytes('fn')
/** https://microformats.org/wiki/microformats2 */
const P_NAME = asciiBytes('p-name')
const NAME = asciiBytes('name')

interface OpenElement {
  tag: string
  marks: readonly NameMark[]
  /** The number of texts before it. */
  firstText: number
}

/** The visible texts of a small part of a page. */
export type Fragment = Readonly<Pick<FragmentReader, 'texts' | 'attributeText' | 'time' | 'names'>>

/** The maximum number of elements of a page to read. A page has one or two bylines and dates. */
const MAX_FRAGMENTS = 8

/** Reads elements, each once, and only up to `end`: the result does not depend on how much of the page has arrived. */
export class Fragments {
  readonly #elements = new Map<number, Fragment | null>()
  readonly #textsAfter = new Map<number, readonly string[]>()

  constructor(readonly reader: TextReader) {}

  /** The element whose start tag begins at `start`; null when it is too large or `MAX_FRAGMENTS` others were read. */
  elementAt(start: number, end: number): Fragment | null {
    const known = this.#elements.get(start)
    if (known !== undefined || this.#elements.size >= MAX_FRAGMENTS) return known ?? null
    const reader = new FragmentReader(this.reader, start, end)
    const fragment = reader.readElement() ? reader : null
    if (fragment !== null || !reader.isCut) this.#elements.set(start, fragment)
    return fragment
  }

  /** The texts shortly after the headline whose start tag begins at `start`, often the author and the date. */
  textsAfter(start: number, end: number): readonly string[] {
    const known = this.#textsAfter.get(start)
    if (known !== undefined) return known
    const reader = new FragmentReader(this.reader, start, end)
    const texts = reader.readElement() ? reader.readOn() : []
    if (!reader.isCut) this.#textsAfter.set(start, texts)
    return texts
  }
}

/** Reads a part of a page again with the sieve's tokenizer. Limits on bytes and tags bound the time. */
class FragmentReader {
  /** Non-blank texts, one for each run of text. They are separate because style sheets may put space between them. */
  readonly texts: string[] = []
  /** `content` of the outermost element, or else its `title`. */
  attributeText: string | null = null
  /** `datetime` of the first time element. */
  time: string | null = null
  /** The texts of inner elements marked as names, by mark. */
  readonly names: Partial<Record<NameMark, string[]>> = {}
  /** Whether the part may be incomplete, because the page has not been read further yet. */
  readonly isCut: boolean
  readonly #tokenizer: Tokenizer
  readonly #open: OpenElement[] = []
  #tags = 0
  /** Depth of the outermost hidden element; 0 when there is none. */
  #hiddenAt = 0

  constructor(
    readonly reader: TextReader,
    readonly start: number,
    end: number,
  ) {
    this.isCut = end < start + MAX_FRAGMENT_BYTES
    this.#tokenizer = new Tokenizer(reader.bytes.subarray(start, Math.min(end, start + MAX_FRAGMENT_BYTES)))
  }

  /** Reads the first element. Returns false if its end tag is not within the limits. */
  readElement(): boolean {
    while (this.#readToken()) if (this.#open.length === 0) return true
    return false
  }

  /** Reads up to the limits and returns the texts that it found. */
  readOn(): string[] {
    const { length } = this.texts
    while (this.#readToken());
    return this.texts.slice(length)
  }

  #readToken(): boolean {
    const tokenizer = this.#tokenizer
    const token = tokenizer.next()
    if (token === 'done') return false
    if (token === 'text') this.#text()
    else if (token === 'start') this.#start()
    else this.#end()
    return token === 'text' || ++this.#tags < MAX_FRAGMENT_TAGS
  }

  #text(): void {
    if (this.#hiddenAt > 0 || isBlank(this.#tokenizer.bytes, this.#tokenizer)) return
    const text = collapseWhitespace(this.reader.text(this.#inPage(this.#tokenizer)))
    if (text !== '') this.texts.push(text)
  }

  #start(): void {
    const tokenizer = this.#tokenizer
    const { tag } = tokenizer
    if (this.#tags === 0) this.attributeText = this.#attribute('content') ?? this.#attribute('title')
    if (tag === 'time' && this.#hiddenAt === 0) this.time ??= this.#attribute('datetime')
    const marks = marksOf(tokenizer)
    const content = marks.includes('itemprop') ? this.#attribute('content') : null
    if (content !== null) this.#addName(['itemprop'], content)
    if (RAW_TEXT_TAGS.has(tag)) {
      tokenizer.readRawText()
      tokenizer.next()
    } else if (tag !== '' && !VOID_TAGS.has(tag) && !tokenizer.selfClosing) {
      this.#open.push({ tag, marks: content === null ? marks : [], firstText: this.texts.length })
      // The outermost element may be a property whose value is read, such as `dateModified`.
      const isProperty = this.#tags === 0 && tokenizer.has('itemprop')
      if (this.#hiddenAt === 0 && !isProperty && isHidden(tokenizer)) this.#hiddenAt = this.#open.length
    }
  }

  #end(): void {
    const { tag } = this.#tokenizer
    const at = this.#open.findLastIndex((element) => element.tag === tag)
    if (at < 0) return
    for (const { marks, firstText } of this.#open.splice(at)) {
      if (marks.length > 0) this.#addName(marks, this.texts.slice(firstText).join(' '))
    }
    if (this.#open.length < this.#hiddenAt) this.#hiddenAt = 0
  }

  #addName(marks: readonly NameMark[], text: string): void {
    for (const mark of marks) (this.names[mark] ??= []).push(text)
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

function marksOf(tokenizer: Tokenizer): NameMark[] {
  const { bytes } = tokenizer
  const names = tokenizer.attribute('class')
  const properties = tokenizer.attribute('itemprop')
  const marks: NameMark[] = []
  if (names !== null && (hasToken(bytes, names, FN) || hasToken(bytes, names, P_NAME))) marks.push('fn')
  if (properties !== null && hasToken(bytes, properties, NAME)) marks.push('itemprop')
  if (tokenizer.tag === 'a' && isAuthorRelation(tokenizer)) marks.push('relation')
  if (tokenizer.tag === 'a' && isAuthorPage(tokenizer)) marks.push('page')
  return marks
}

/** The values of an element with `itemprop`: names of inner items, or else its `content` or `title`, or else its text. */
export function itemTextsOf(fragment: Fragment | null, property: string): readonly string[] {
  if (fragment === null) return []
  const time = property.startsWith('date') ? fragment.time : null
  return fragment.names.itemprop ?? [fragment.attributeText ?? time ?? fragment.texts.join(' ')]
}
