import { addTo } from '../../tally.ts'
import { append } from '../reading/append.ts'
import { asciiBytes, matchesIgnoringCase } from '../reading/ascii.ts'
import { attributeBits, RAW_TEXT_TAGS, VOID_TAGS } from '../reading/html-names.ts'
import { NameLookup } from '../reading/name-lookup.ts'
import { type Range, splitTokens } from '../reading/range.ts'
import { ITEMPROPS } from '../fields/source-names.ts'
import { subjectClassOf, SUBJECT_CLASSES, type SubjectClass, typeNames } from '../json-ld/subject-class.ts'
import { decoderOf } from '../reading/text.ts'
import type { Tokenizer } from '../reading/tokenizer.ts'

/** The maximum nesting of items to follow. Real items are nested four or five deep. */
const MAX_OPEN_ITEMS = 16

/** The maximum number of values to keep for one property. The first acceptable one is used. */
const MAX_VALUES = 100

/** The maximum number of bytes of `itemtype` to read. The attribute usually has one or two URLs. */
const MAX_TYPE_BYTES = 500

/** Types of items that are not the subject of the page but may contain its byline: a person, or a part of the page. */
const MAY_HOLD_BYLINE = /(?:Person|Author|Header|WebPageElement|Organization|List)\s*$/i

const ITEM_ATTRIBUTES = attributeBits('itemprop', 'itemscope')

/** Properties whose items are the subject of the page. Blogger has one `blogPost` on the page of an article. */
const MAIN_ENTITIES = new NameLookup(['mainEntity', 'blogPost'])

/** Elements that cannot contain elements, or whose content is ignored. */
const CANNOT_HOLD_ITEMS: ReadonlySet<string> = new Set([...VOID_TAGS, 'param', 'template', ...RAW_TEXT_TAGS])

/**
 * If a page has exactly one item of one of these classes, the page is about that item. Reviews are parts of other
 * items.
 */
const SUBJECTS = SUBJECT_CLASSES.filter((subjectClass) => subjectClass !== 'review')

/** The class of the item that a value belongs to; null outside items. */
type Owner = SubjectClass | null

/** The tag name of an element with `itemscope`. Open elements of that name are counted to find the item's end tag. */
interface CountedName {
  /** In lower case. */
  name: Uint8Array
  /** The number of open elements with that name. */
  open: number
  /** For each open item with that name, the value of `open` after its start tag; innermost last. */
  items: number[]
}

/** An element with `itemscope` that is still open. */
interface OpenItem {
  counted: CountedName
  /** Undefined when the page is not about the item, whose values are then ignored. */
  owner: SubjectClass | undefined
  /** Whether this item, or one around it, is about something other than the page or its author. */
  isOther: boolean
}

interface ItemValue {
  /** An attribute's value; for an element, its start tag. */
  value: Range
  isElement: boolean
  owner: Owner
}

/** Properties whose values are also read from the text of elements. */
const READ_FROM_TEXT: ReadonlySet<string> = new Set(['author', 'datePublished', 'dateCreated', 'dateModified'])

/**
 * Microdata, with the item that each value belongs to: an author may be the author of a comment. The end of an item is
 * found by counting elements with its tag name, without building the tree. Where HTML allows omitting end tags, an item
 * may appear longer than it is, which at worst loses values. Source:
 * https://html.spec.whatwg.org/multipage/microdata.html#associating-names-with-items
 */
export class Microdata {
  readonly #open: OpenItem[] = []
  #counted: CountedName[] = []
  readonly #values = new Map<string, ItemValue[]>()
  /** The number of items of each class. Several items of one class are teasers. */
  readonly #counts = new Map<SubjectClass, number>()
  count = 0
  /** The number of posts of a discussion. Posts after the first are replies. */
  #posts = 0
  /** Set when items are nested too deep. The owners of later values are unknown then. */
  #isLost = false

  /** Whether the last element is in an item that the page is not about, such as a comment. */
  get isInOtherItem(): boolean {
    return this.#open.at(-1)?.isOther === true
  }

  /** The owner of the last element's values, taken from the innermost open item; null outside items. */
  get #owner(): Owner | undefined {
    const item = this.#open.at(-1)
    return item === undefined ? null : item.owner
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

  close(tokenizer: Tokenizer): void {
    if (this.#isLost || this.#open.length === 0) return
    const counted = this.#countedName(tokenizer)
    if (counted === undefined) return
    const isOfItem = counted.items.at(-1) === counted.open
    if (counted.open > 0) counted.open--
    if (isOfItem) this.#closeItem(counted)
  }

  /** Keeps the value of a meta, link or time element with `itemprop`. */
  value(tokenizer: Tokenizer, value: Range | null): void {
    const names = tokenizer.attribute('itemprop')
    // With itemscope the property's value is an item, not text.
    if (value === null || names === null || this.#isLost || tokenizer.has('itemscope')) return
    this.#keep(tokenizer.bytes, names, { value, isElement: false }, (name) => canHold(tokenizer.tag, name))
  }

  /** Keeps an element whose text, or the name of the item in it, is the value of a property. */
  #element(tokenizer: Tokenizer): void {
    const names = tokenizer.attribute('itemprop')
    const { tag, start, end } = tokenizer
    if (names === null || this.#isLost || tag === 'meta' || tag === 'link' || tag === '') return
    if (tag === 'time' && tokenizer.has('datetime')) return
    this.#keep(tokenizer.bytes, names, { value: { start, end }, isElement: true }, (name) => READ_FROM_TEXT.has(name))
  }

  /** Keeps a value for each property in `names` that can have such a value. */
  #keep(bytes: Uint8Array, names: Range, value: Omit<ItemValue, 'owner'>, mayHave: (name: string) => boolean): void {
    const owner = this.#owner
    if (owner === undefined) return
    for (const token of splitTokens(bytes, names)) {
      const name = ITEMPROPS.findDecoded(bytes, token)
      if (name === undefined || !mayHave(name)) continue
      if (append(this.#values, name, { ...value, owner }, MAX_VALUES)) this.count++
    }
  }

  /** The page's own values of a property: first from outside items, then from items that the page is about. */
  get(name: string): ItemValue[] {
    const values = this.#values.get(name)
    if (values === undefined) return []
    const owners: Owner[] = [null, ...SUBJECTS.filter((subjectClass) => (this.#counts.get(subjectClass) ?? 0) <= 1)]
    return owners.flatMap((owner) => values.filter((one) => one.owner === owner))
  }

  #openItem(tokenizer: Tokenizer, known: CountedName | undefined): void {
    const name = tokenizer.tag || tokenizer.name
    if (CANNOT_HOLD_ITEMS.has(name)) return
    this.#isLost = this.#open.length === MAX_OPEN_ITEMS
    const counted = known ?? { name: asciiBytes(name), open: 1, items: [] }
    if (known === undefined) this.#counted.push(counted)
    counted.items.push(counted.open)
    const type = tokenizer.attribute('itemtype')
    const types =
      type &&
      decoderOf('latin1').decode(tokenizer.bytes.subarray(type.start, Math.min(type.end, type.start + MAX_TYPE_BYTES)))
    const owner = this.#ownerOf(tokenizer, name, types)
    const isOther = this.isInOtherItem || (owner === undefined && types !== null && !MAY_HOLD_BYLINE.test(types))
    this.#open.push({ counted, owner, isOther })
  }

  /** Closes the innermost item with a name, and the unclosed items in it. */
  #closeItem(counted: CountedName): void {
    for (let item = this.#open.pop(); item !== undefined; item = this.#open.pop()) {
      item.counted.items.pop()
      if (item.counted === counted) break
    }
    this.#counted = this.#counted.filter(({ items }) => items.length > 0)
  }

  #countedName({ bytes, nameStart, nameEnd }: Tokenizer): CountedName | undefined {
    for (const counted of this.#counted) {
      if (nameEnd - nameStart === counted.name.length && matchesIgnoringCase(bytes, nameStart, counted.name))
        return counted
    }
    return undefined
  }

  #ownerOf(tokenizer: Tokenizer, name: string, types: string | null): SubjectClass | undefined {
    const { bytes } = tokenizer
    const property = tokenizer.attribute('itemprop')
    // An item that is a property of another one does not describe the page, unless it is its main entity.
    if (property !== null && !MAIN_ENTITIES.hasToken(bytes, property)) return undefined
    const subjectClass = types === null ? 'untyped' : subjectClassOf(typeNames(types.split(/\s+/)))
    // An item on the whole document describes the page, even if it is of another class, such as a company.
    if (name === 'html' || name === 'body') return subjectClass ?? 'page'
    // Any other question is about a product, or part of a list.
    if (subjectClass === 'question' && property === null) return undefined
    if (types?.includes('DiscussionForumPosting') && this.#posts++ > 0) return undefined
    if (subjectClass !== undefined) addTo(this.#counts, subjectClass, 1)
    return subjectClass
  }
}

/** Values of link and img elements are URLs, which only image properties can have. Values of time elements are times. */
function canHold(tag: string, name: string): boolean {
  if (tag === 'link' || tag === 'img') return name === 'image' || name === 'thumbnailUrl'
  return tag !== 'time' || name.startsWith('date')
}
