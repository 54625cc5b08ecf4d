import { wordSet } from '../../word-set.ts'
import { append } from './append.ts'
import { NUMBER_SIGN } from './ascii.ts'
import { isAuthorPage, isAuthorRelation } from './author-link.ts'
import {
  ACCOUNT,
  AUTHOR,
  CHANGE,
  DATE,
  isAside,
  isOtherDate,
  META,
  NAMING_ATTRIBUTES,
  PUBLISHED,
  rolesOfTag,
} from './class-words.ts'
import { attributeBits } from './html-names.ts'
import { NameLookup } from './name-lookup.ts'
import { type Range, splitTokens } from './range.ts'
import type { Tokenizer } from './tokenizer.ts'

/** How markup marks an element as an author or a date. */
export type Mark =
  | 'author link' // `<a rel="author">`
  | 'author path' // a link to `/author/jo`, `/staff/jo` …
  | 'account class' // the class `username`
  | 'author class' // a class or id such as `byline` or `entry-author`
  | 'date class' // one such as `post-date`
  | 'changed class' // one such as `updated`
  | 'published class' // one such as `published` or `posted`
  | 'meta class' // one such as `post-meta`
  | 'time' // `<time datetime>`
  | 'pubdate' // `<time pubdate>`
  | 'property' // RDFa, `property="schema:datePublished"`

export interface MarkedElement extends Place {
  tag: string
  /** The value of `datetime`. */
  time: Range | null
}

/** A position in a page, and what is before it. */
export interface Place {
  /** The position of the start tag. */
  start: number
  /** The number of headings, h2 to h6. */
  headings: number
  /** The number of links to other pages, except those to authors. */
  links: number
}

/** An h1, and the element that ends shortly before it. */
export interface Headline extends Place {
  /** The start of the element above it; null if there is none. */
  above: number | null
  /** The position of the first link to another page after it; Infinity if there is none yet. */
  link: number
}

/** A part of the page that is not its article. */
interface Aside {
  tag: string
  /** The open elements with its tag name, which are counted to find its end tag. */
  open: number
  /** Its elements before the first headline, kept in case that it contains the headline. */
  held: [Mark, MarkedElement][]
}

/** The maximum number of h1 elements to keep. */
const MAX_HEADLINES = 8

/** The maximum number of elements to keep for each mark. Pages with more are lists of articles. */
const MAX_ELEMENTS = 30

const DATE_PROPERTIES = new NameLookup(
  wordSet('datePublished schema:datePublished dateCreated schema:dateCreated dc:date dc:created dcterms:created'),
)

/** The maximum distance from the start of an element above the headline to the headline. */
const MAX_BYTES_ABOVE = 500

/** An element without any of these has no mark. */
const MARKING = attributeBits(...NAMING_ATTRIBUTES, 'rel', 'href', 'property', 'datetime', 'pubdate')

/** Elements that can hold comments, related articles and the like. */
const PARTS = wordSet('article aside div footer form li nav ol section table ul')

/** Elements that are navigation or a quotation, regardless of their class. */
const OTHER_PARTS = wordSet('blockquote nav')

/** Elements that may contain only a date, such as the date of the last change. */
const LINES = wordSet('div li p small span time')

/** The maximum depth of asides within asides. */
const MAX_ASIDES = 4

/** Elements that may contain only the name of an account. */
const ACCOUNT_TAGS = wordSet('a b div span strong')

const SUBHEADINGS = wordSet('h2 h3 h4 h5 h6')

/** The elements marked as author or date, except elements in comments, quotations, related articles and navigation. */
export class MarkedElements {
  readonly #elements = new Map<Mark, MarkedElement[]>()
  /** The open asides, which contain each other. Asides in an aside are only of interest before the first headline. */
  readonly #asides: Aside[] = []
  /** The last element. */
  #lastStart = 0
  #lastTag = ''
  #isLastClosed = false
  #headings = 0
  #links = 0
  /** The number of elements of all marks. */
  count = 0
  /** The first h1 elements outside navigation. */
  readonly headlines: Headline[] = []

  /**
   * Processes a start tag of the body, outside svg, MathML and templates. `isInOtherItem`: whether the tag is inside
   * microdata about another thing.
   */
  open(tokenizer: Tokenizer, isInOtherItem: boolean): void {
    const { tag } = tokenizer
    const aside = this.#asides.at(-1)
    if (tag === 'h1' && aside?.tag !== 'nav') this.#openHeadline(tokenizer)
    if (SUBHEADINGS.has(tag)) this.#headings++
    this.#lastStart = tokenizer.start
    this.#lastTag = tag
    this.#isLastClosed = false
    const leadsToAuthor = tag === 'a' && isAuthorPage(tokenizer)
    if (tag === 'a' && !leadsToAuthor && leadsElsewhere(tokenizer)) this.#countLink(tokenizer.start)
    if (aside !== undefined) {
      if (aside.tag === tag) aside.open++
      if (this.headlines.length > 0 || OTHER_PARTS.has(aside.tag)) return
    }
    if (isInOtherItem || (!OTHER_PARTS.has(tag) && !tokenizer.hasAny(MARKING))) return
    const roles = rolesOfTag(tokenizer)
    const isOther = (isAside(roles) && PARTS.has(tag)) || (isOtherDate(roles) && LINES.has(tag))
    if (isOther && (roles & CHANGE) !== 0) this.#mark('changed class', tokenizer)
    if (OTHER_PARTS.has(tag) || isOther) {
      if (this.#asides.length < MAX_ASIDES) this.#asides.push({ tag, open: 1, held: [] })
      return
    }
    // The class of a whole article may name its author or date: `author-jo-doe`.
    if (roles !== 0 && tag !== 'article' && tag !== 'body') this.#keepRoles(roles, tokenizer)
    if (tag === 'a' && isAuthorRelation(tokenizer)) this.#mark('author link', tokenizer)
    if (leadsToAuthor) this.#mark('author path', tokenizer)
    if (tag === 'time' && tokenizer.has('pubdate')) this.#mark('pubdate', tokenizer)
    if (tag === 'time' && tokenizer.has('datetime')) this.#mark('time', tokenizer)
    const property = tokenizer.attribute('property')
    if (property !== null && splitTokens(tokenizer.bytes, property).some((one) => isDateProperty(tokenizer, one))) {
      this.#mark('property', tokenizer)
    }
  }

  #countLink(start: number): void {
    this.#links++
    for (const headline of this.headlines) headline.link = Math.min(headline.link, start)
  }

  #openHeadline({ start }: Tokenizer): void {
    // Elements that contain the headline are not asides, regardless of their class.
    if (this.headlines.length === 0) {
      for (const { held } of this.#asides.splice(0)) for (const [mark, element] of held) this.#keep(mark, element)
    }
    if (this.headlines.length === MAX_HEADLINES) return
    const isNear = this.#isLastClosed && this.#lastStart > start - MAX_BYTES_ABOVE
    this.headlines.push({ ...this.#placeOf(start), above: isNear ? this.#lastStart : null, link: Infinity })
  }

  #keepRoles(roles: number, tokenizer: Tokenizer): void {
    if ((roles & AUTHOR) !== 0) this.#mark('author class', tokenizer)
    if ((roles & ACCOUNT) !== 0 && ACCOUNT_TAGS.has(tokenizer.tag)) this.#mark('account class', tokenizer)
    // A link of class `publication` leads to the publication.
    if ((roles & PUBLISHED) !== 0 && tokenizer.tag !== 'a') this.#mark('published class', tokenizer)
    if ((roles & DATE) !== 0) this.#mark('date class', tokenizer)
    if ((roles & META) !== 0) this.#mark('meta class', tokenizer)
  }

  close(tag: string): void {
    if (this.#lastTag === tag) this.#isLastClosed = true
    const aside = this.#asides.at(-1)
    if (aside?.tag === tag && --aside.open === 0) this.#asides.pop()
  }

  /** The elements of a mark, in document order. */
  get(mark: Mark): readonly MarkedElement[] {
    return this.#elements.get(mark) ?? []
  }

  #mark(mark: Mark, tokenizer: Tokenizer): void {
    const { start, tag } = tokenizer
    const element = { ...this.#placeOf(start), tag, time: tokenizer.attribute('datetime') }
    const held = this.#asides.at(-1)?.held
    if (held === undefined) this.#keep(mark, element)
    else if (held.length < MAX_ELEMENTS) held.push([mark, element])
  }

  #placeOf(start: number): Place {
    return { start, headings: this.#headings, links: this.#links }
  }

  #keep(mark: Mark, element: MarkedElement): void {
    if (append(this.#elements, mark, element, MAX_ELEMENTS)) this.count++
  }
}

function isDateProperty({ bytes }: Tokenizer, { start, end }: Range): boolean {
  return DATE_PROPERTIES.find(bytes, start, end) !== undefined
}

/** Whether a link leads to another page rather than to a place in this one. */
function leadsElsewhere(tokenizer: Tokenizer): boolean {
  const href = tokenizer.attribute('href')
  return href !== null && href.end > href.start && tokenizer.bytes[href.start] !== NUMBER_SIGN
}
