import { codesOf, spells } from './ascii.ts'
import { RAW_TEXT_TAGS } from './names.ts'
import { type Range, tokensOf } from './range.ts'
import { ITEMPROPS } from './source-names.ts'
import { subjectClassOf, SUBJECT_CLASSES, type SubjectClass, typeNames } from './subject-class.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Items within items that are followed: real ones nest four or five deep. */
const MAX_OPEN_ITEMS = 16

/** Values kept for one property: the first good one wins. */
const MAX_VALUES = 100

/** Bytes of a tag name that opens an item: the longest of HTML has ten, custom elements some more. */
const MAX_NAME_BYTES = 100

/** Bytes of `itemtype` that are read: one or two addresses. */
const MAX_TYPE_BYTES = 500

const MAIN_ENTITY = codesOf('mainentity')

/** Elements that hold no others, or nothing that counts. */
const CANNOT_HOLD_ITEMS: ReadonlySet<string> = new Set([
  ...'area base br col embed hr img input link meta param source track wbr template'.split(' '),
  ...RAW_TEXT_TAGS,
])

/** Classes whose only item on a page the page is about. A review or a question is part of something else there. */
const SUBJECTS = SUBJECT_CLASSES.filter((subjectClass) => subjectClass !== 'review' && subjectClass !== 'question')

/** Which item a value belongs to; null for one that belongs to none. */
type Owner = SubjectClass | null

/** A name that an element with `itemscope` has: its elements are counted, so that the item's own end tag is known. */
interface CountedName {
  /** In lower case. */
  name: Uint8Array
  /** How many elements of that name are open. */
  open: number
  /** How many were, with its own, when each of the open items began, innermost last. */
  items: number[]
}

/** An element with `itemscope` whose end tag is awaited. */
interface OpenItem {
  counted: CountedName
  /** Undefined when the page is not about such an item: what it says is not the page's. */
  owner: SubjectClass | undefined
}

/**
 * Microdata of meta, link and time elements, by the item it belongs to: an author may be that of a comment. An item ends
 * where its element does, found by counting elements of its name instead of building the tree; end tags that HTML lets
 * pages leave out make it last longer, which at worst loses values.
 * Source: https://html.spec.whatwg.org/multipage/microdata.html#associating-names-with-items
 */
export class Microdata {
  readonly #open: OpenItem[] = []
  #counted: CountedName[] = []
  readonly #values = new Map<string, { value: Range; owner: Owner }[]>()
  /** How many items of a class there are. Several are a list of teasers. */
  readonly #counts = new Map<SubjectClass, number>()
  /** Set when items nest too deep to be followed: whose value is whose cannot be told any more. */
  #isLost = false

  /** A start tag, whatever its name. */
  open(tokenizer: Tokenizer): void {
    const opensItem = tokenizer.has('itemscope')
    if (this.#isLost || (!opensItem && this.#open.length === 0)) return
    const counted = this.#countedName(tokenizer)
    if (counted !== undefined) counted.open++
    if (opensItem) this.#openItem(tokenizer, counted)
  }

  /** An end tag, whatever its name. */
  close(tokenizer: Tokenizer): void {
    if (this.#isLost || this.#open.length === 0) return
    const counted = this.#countedName(tokenizer)
    if (counted === undefined) return
    const isOfItem = counted.items.at(-1) === counted.open
    if (counted.open > 0) counted.open--
    if (isOfItem) this.#closeItem(counted)
  }

  /** What a meta, link or time element says. */
  value(tokenizer: Tokenizer, value: Range): void {
    const names = tokenizer.attribute('itemprop')
    // With itemscope the value is an item, not this text.
    if (names === null || this.#isLost || tokenizer.has('itemscope')) return
    const item = this.#open.at(-1)
    const owner = item === undefined ? null : item.owner
    if (owner === undefined) return
    for (const token of tokensOf(tokenizer.bytes, names)) {
      const name = ITEMPROPS.findWritten(tokenizer.bytes, token)
      if (name === undefined || !canHold(tokenizer.tag, name)) continue
      const values = this.#values.get(name) ?? []
      this.#values.set(name, values)
      if (values.length < MAX_VALUES) values.push({ value, owner })
    }
  }

  /** The page's own values of a property: first those that belong to no item, then those of what the page is about. */
  get(name: string): Range[] {
    const values = this.#values.get(name) ?? []
    const owners: Owner[] = [null, ...SUBJECTS.filter((subjectClass) => (this.#counts.get(subjectClass) ?? 0) <= 1)]
    return owners.flatMap((owner) => values.filter((one) => one.owner === owner).map(({ value }) => value))
  }

  #openItem(tokenizer: Tokenizer, known: CountedName | undefined): void {
    const { bytes, nameStart, nameEnd } = tokenizer
    const text = latin1(bytes, nameStart, Math.min(nameEnd, nameStart + MAX_NAME_BYTES)).toLowerCase()
    if (CANNOT_HOLD_ITEMS.has(text)) return
    this.#isLost = this.#open.length === MAX_OPEN_ITEMS
    const counted = known ?? { name: codesOf(text), open: 1, items: [] }
    if (known === undefined) this.#counted.push(counted)
    counted.items.push(counted.open)
    this.#open.push({ counted, owner: this.#ownerOf(tokenizer, text) })
  }

  /** Closes the innermost item of a name, and with it what was opened within and not closed. */
  #closeItem(counted: CountedName): void {
    for (let item = this.#open.pop(); item !== undefined; item = this.#open.pop()) {
      item.counted.items.pop()
      if (item.counted === counted) break
    }
    if (this.#open.length === 0) this.#counted = []
  }

  #countedName({ bytes, nameStart, nameEnd }: Tokenizer): CountedName | undefined {
    for (const counted of this.#counted) {
      if (nameEnd - nameStart === counted.name.length && spells(bytes, nameStart, counted.name)) return counted
    }
    return undefined
  }

  #ownerOf(tokenizer: Tokenizer, name: string): SubjectClass | undefined {
    const { bytes } = tokenizer
    const property = tokenizer.attribute('itemprop')
    // An item that is a property of another one is not the page's, unless it is what that one is about.
    if (property !== null && !tokensOf(bytes, property).some((token) => isSpelled(bytes, token, MAIN_ENTITY))) {
      return undefined
    }
    const type = tokenizer.attribute('itemtype')
    const subjectClass = type === null ? 'untyped' : classIn(bytes, type)
    // Whatever the whole document is, what it says is the page's: many a company is.
    if (name === 'html' || name === 'body') return subjectClass ?? 'page'
    if (subjectClass !== undefined) this.#counts.set(subjectClass, (this.#counts.get(subjectClass) ?? 0) + 1)
    return subjectClass
  }
}

/** Links hold addresses, which name pictures but nobody and nothing else; time elements hold times. */
function canHold(tag: string, name: string): boolean {
  if (tag === 'link') return name === 'image' || name === 'thumbnailUrl'
  return tag !== 'time' || name.startsWith('date')
}

function classIn(bytes: Uint8Array, { start, end }: Range): SubjectClass | undefined {
  const types = latin1(bytes, start, Math.min(end, start + MAX_TYPE_BYTES))
  return subjectClassOf(typeNames(types.split(/\s+/)))
}

function isSpelled(bytes: Uint8Array, { start, end }: Range, codes: Uint8Array): boolean {
  return end - start === codes.length && spells(bytes, start, codes)
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end))
}
