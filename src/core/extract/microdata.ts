import { asciiBytes, matchesIgnoringCase } from './ascii.ts'
import { attributeBits, RAW_TEXT_TAGS } from './html-names.ts'
import { type Range, splitTokens } from './range.ts'
import { ITEMPROPS } from './source-names.ts'
import { subjectClassOf, SUBJECT_CLASSES, type SubjectClass, typeNames } from './subject-class.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Deepest nesting of items to follow: real ones nest four or five deep. */
const MAX_OPEN_ITEMS = 16

/** Most values to keep for one property: the first acceptable one wins. */
const MAX_VALUES = 100

/** Most bytes of the tag name of an item: the longest in HTML has ten, custom elements have some more. */
const MAX_NAME_BYTES = 100

/** Most bytes of `itemtype` to read: one or two addresses. */
const MAX_TYPE_BYTES = 500

const ITEM_ATTRIBUTES = attributeBits('itemprop', 'itemscope')

const MAIN_ENTITY = asciiBytes('mainentity')

/** Elements without child elements, or whose content does not count. */
const CANNOT_HOLD_ITEMS: ReadonlySet<string> = new Set([
  ...'area base br col embed hr img input link meta param source track wbr template'.split(' '),
  ...RAW_TEXT_TAGS,
])

/**
 * An item of such a class is what the page is about when it is the only one. Reviews and questions are part of other
 * items.
 */
const SUBJECTS = SUBJECT_CLASSES.filter((subjectClass) => subjectClass !== 'review' && subjectClass !== 'question')

/** The class of the item that a value belongs to; null outside items. */
type Owner = SubjectClass | null

/** The tag name of an element with `itemscope`. Open elements of that name are counted to find the item's end tag. */
interface CountedName {
  /** In lower case. */
  name: Uint8Array
  /** How many elements with that name are open. */
  open: number
  /** For each open item with that name, the value of `open` after its start tag; innermost last. */
  items: number[]
}

/** An element with `itemscope` that is still open. */
interface OpenItem {
  counted: CountedName
  /** Undefined when the page is not about such an item, so that its values do not count. */
  owner: SubjectClass | undefined
  /** Whether it, or one around it, is neither what the page is about nor a person. */
  isOther: boolean
}

/** A value and the item that it belongs to. */
interface ItemValue {
  /** An attribute's value; for an element, its start tag. */
  value: Range
  isElement: boolean
  owner: Owner
}

/** Properties that are also read from the text of elements. */
const READ_FROM_TEXT: ReadonlySet<string> = new Set(['author', 'datePublished', 'dateCreated', 'dateModified'])

/**
 * Microdata, with the item that each value belongs to: an author may be that of a
 * comment. The end of an item is found by counting elements with its tag name instead of building the tree. Where HTML
 * allows end tags to be left out, an item may seem longer than it is, which at worst loses values.
 * Source: https://html.spec.whatwg.org/multipage/microdata.html#associating-names-with-items
 */
export class Microdata {
  readonly #open: OpenItem[] = []
  #counted: CountedName[] = []
  readonly #values = new Map<string, ItemValue[]>()
  /** How many items there are of each class. Several are a list of teasers. */
  readonly #counts = new Map<SubjectClass, number>()
  /** How many values there are. */
  count = 0
  /** Set when items nest too deep to be followed: the owner of later values is unknown. */
  #isLost = false

  /** Whether the element that was read last is in an item that the page is not about, such as a comment. */
  get isInOther(): boolean {
    return this.#open.at(-1)?.isOther === true
  }

  /** Processes any start tag. */
  open(tokenizer: Tokenizer): void {
    if (this.#open.length === 0 && !tokenizer.hasAny(ITEM_ATTRIBUTES)) return
    if (tokenizer.has('itemprop')) this.#element(tokenizer)
    const opensItem = tokenizer.has('itemscope')
    if (this.#isLost || (!opensItem && this.#open.length === 0)) return
    const counted = this.#countedName(tokenizer)
    if (counted !== undefined) counted.open++
    if (opensItem) this.#openItem(tokenizer, counted)
  }

  /** Processes any end tag. */
  close(tokenizer: Tokenizer): void {
    if (this.#isLost || this.#open.length === 0) return
    const counted = this.#countedName(tokenizer)
    if (counted === undefined) return
    const isOfItem = counted.items.at(-1) === counted.open
    if (counted.open > 0) counted.open--
    if (isOfItem) this.#closeItem(counted)
  }

  /** Keeps the value of a meta, link or time element with `itemprop`. */
  value(tokenizer: Tokenizer, value: Range): void {
    const names = tokenizer.attribute('itemprop')
    // With itemscope the property's value is an item, not text.
    if (names === null || this.#isLost || tokenizer.has('itemscope')) return
    const item = this.#open.at(-1)
    const owner = item === undefined ? null : item.owner
    if (owner === undefined) return
    for (const token of splitTokens(tokenizer.bytes, names)) {
      const name = ITEMPROPS.findDecoded(tokenizer.bytes, token)
      if (name !== undefined && canHold(tokenizer.tag, name)) this.#keep(name, { value, isElement: false, owner })
    }
  }

  /** Keeps an element whose text, or the name of the item in it, is a value. */
  #element(tokenizer: Tokenizer): void {
    const names = tokenizer.attribute('itemprop')
    const { tag, start, end } = tokenizer
    if (names === null || this.#isLost || tag === 'meta' || tag === 'link' || tag === '') return
    if (tag === 'time' && tokenizer.has('datetime')) return
    const item = this.#open.at(-1)
    const owner = item === undefined ? null : item.owner
    if (owner === undefined) return
    for (const token of splitTokens(tokenizer.bytes, names)) {
      const name = ITEMPROPS.findDecoded(tokenizer.bytes, token)
      if (name !== undefined && READ_FROM_TEXT.has(name)) {
        this.#keep(name, { value: { start, end }, isElement: true, owner })
      }
    }
  }

  #keep(name: string, value: ItemValue): void {
    const values = this.#values.get(name) ?? []
    this.#values.set(name, values)
    if (values.length >= MAX_VALUES) return
    values.push(value)
    this.count++
  }

  /** The page's own values of a property: first those outside items, then those of the item that the page is about. */
  get(name: string): ItemValue[] {
    const values = this.#values.get(name) ?? []
    const owners: Owner[] = [null, ...SUBJECTS.filter((subjectClass) => (this.#counts.get(subjectClass) ?? 0) <= 1)]
    return owners.flatMap((owner) => values.filter((one) => one.owner === owner))
  }

  #openItem(tokenizer: Tokenizer, known: CountedName | undefined): void {
    const { bytes, nameStart, nameEnd } = tokenizer
    const text = latin1(bytes, nameStart, Math.min(nameEnd, nameStart + MAX_NAME_BYTES)).toLowerCase()
    if (CANNOT_HOLD_ITEMS.has(text)) return
    this.#isLost = this.#open.length === MAX_OPEN_ITEMS
    const counted = known ?? { name: asciiBytes(text), open: 1, items: [] }
    if (known === undefined) this.#counted.push(counted)
    counted.items.push(counted.open)
    const owner = this.#ownerOf(tokenizer, text)
    const isOther = this.isInOther || (owner === undefined && !mayHoldByline(tokenizer))
    this.#open.push({ counted, owner, isOther })
  }

  /** Closes the innermost item with a name, and the unclosed items in it. */
  #closeItem(counted: CountedName): void {
    for (let item = this.#open.pop(); item !== undefined; item = this.#open.pop()) {
      item.counted.items.pop()
      if (item.counted === counted) break
    }
    if (this.#open.length === 0) this.#counted = []
  }

  #countedName({ bytes, nameStart, nameEnd }: Tokenizer): CountedName | undefined {
    for (const counted of this.#counted) {
      if (nameEnd - nameStart === counted.name.length && matchesIgnoringCase(bytes, nameStart, counted.name))
        return counted
    }
    return undefined
  }

  #ownerOf(tokenizer: Tokenizer, name: string): SubjectClass | undefined {
    const { bytes } = tokenizer
    const property = tokenizer.attribute('itemprop')
    // An item that is a property of another one does not describe the page, unless it is its main entity.
    if (property !== null && !splitTokens(bytes, property).some((token) => isSpelled(bytes, token, MAIN_ENTITY))) {
      return undefined
    }
    const type = tokenizer.attribute('itemtype')
    const subjectClass = type === null ? 'untyped' : classIn(bytes, type)
    // An item on the whole document describes the page, even if it is of another class, such as a company.
    if (name === 'html' || name === 'body') return subjectClass ?? 'page'
    if (subjectClass !== undefined) this.#counts.set(subjectClass, (this.#counts.get(subjectClass) ?? 0) + 1)
    return subjectClass
  }
}

/** The values of links are addresses, which only image properties have; those of time elements are times. */
function canHold(tag: string, name: string): boolean {
  if (tag === 'link') return name === 'image' || name === 'thumbnailUrl'
  return tag !== 'time' || name.startsWith('date')
}

/** Whether an item that the page is not about may hold its byline: a person, or a part of the page. */
function mayHoldByline(tokenizer: Tokenizer): boolean {
  const type = tokenizer.attribute('itemtype')
  if (type === null) return true
  const { bytes } = tokenizer
  return /(?:Person|Author|Header|WebPageElement|Organization|ItemList|List)$/i.test(
    latin1(bytes, type.start, Math.min(type.end, type.start + MAX_TYPE_BYTES)).trim(),
  )
}

function classIn(bytes: Uint8Array, { start, end }: Range): SubjectClass | undefined {
  const types = latin1(bytes, start, Math.min(end, start + MAX_TYPE_BYTES))
  return subjectClassOf(typeNames(types.split(/\s+/)))
}

function isSpelled(bytes: Uint8Array, { start, end }: Range, codes: Uint8Array): boolean {
  return end - start === codes.length && matchesIgnoringCase(bytes, start, codes)
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end))
}
