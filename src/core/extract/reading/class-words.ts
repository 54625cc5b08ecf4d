import words from './class-words.json'
import { attributeBits, type AttributeName } from './html-names.ts'
import { NameLookup } from './name-lookup.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Bits for the roles that the words of a class or id give an element. */
export const AUTHOR = 1
export const DATE = 2
/** A part of the page that is not its article: comments, related articles, navigation. */
const ASIDE = 4
/** Accompanies a name or date without containing it: a picture, a biography, a list, a button. */
const ACCESSORY = 8
/** Describes the layout rather than the element, as in `has-sidebar`. */
const LAYOUT = 16
/** The date of publication, rather than any date. */
export const PUBLISHED = 32
/** A line with author and date, usually below the headline. */
export const META = 64
export const NAME = 128
/** A date or time that is not the publication of the article: `event-date`, `reading-time`, `updated`. */
const OTHER_DATE = 256
/**
 * A word of an aside, unless its token has a word of the article too: `footer`, but not `entry-footer`; `widget`, but
 * not `elementor-widget`.
 */
const END = 512
/** A word of the article, which overrides `END` in the same token. */
const OWN = 1_024
/** Accompanies a name, but not a date: `author-label` is not an author, but `date-label` is a date. */
const BESIDE_NAME = 2_048
/** The date of a change, even if no word says that it is a date. */
export const CHANGE = 4_096
/** The account of a member of a forum, if the class has no other word. */
export const ACCOUNT = 8_192
/** Says what an element has or which category it is in, rather than what it is: `has-author`, `category-reports`. */
const FLAG = 16_384

/** The lists of class-words.json, with the bits that their words have. */
const WORDS: readonly [mask: number, words: string][] = [
  [AUTHOR, words.author],
  [PUBLISHED | DATE, words.published],
  [DATE, words.date],
  [META, words.meta],
  [NAME, words.name],
  [ASIDE, words.aside],
  [BESIDE_NAME, words.besideName],
  [ACCESSORY, words.accessory],
  [CHANGE, words.change],
  [END, words.end],
  [OWN, words.own],
  [ACCOUNT, words.account],
  [FLAG, words.flag],
  [LAYOUT, words.layout],
]

const MASKS = new Map<string, number>()
for (const [mask, list] of WORDS) {
  for (const word of list.split(' ')) MASKS.set(word, (MASKS.get(word) ?? 0) | mask)
}
const LOOKUP = new NameLookup(MASKS.keys())
const MASK_OF_INDEX = LOOKUP.names.map((word) => MASKS.get(word)!)

/** The maximum number of bytes of a class to read. Long lists of utility classes usually follow descriptive names. */
const MAX_CLASS_BYTES = 150

/** Attributes that name an element for style sheets and scripts, or for tests and screen readers. */
const COMMON_NAMES = ['class', 'id'] as const
const RARE_NAMES = ['data-testid', 'data-component', 'data-qa', 'aria-label'] as const
export const NAMING_ATTRIBUTES = [...COMMON_NAMES, ...RARE_NAMES]
const RARE = attributeBits(...RARE_NAMES)

const PROPERTY_NAMES = ['itemprop', 'property'] as const
const PROPERTIES = attributeBits(...PROPERTY_NAMES)

/** The roles of the last start tag's element. A property such as `dateModified` takes precedence over the class. */
export function rolesOfTag(tokenizer: Tokenizer): number {
  if (tokenizer.hasAny(PROPERTIES) && (rolesInAll(tokenizer, PROPERTY_NAMES) & OTHER_DATE) !== 0) return OTHER_DATE
  const common = rolesInAll(tokenizer, COMMON_NAMES)
  const roles = tokenizer.hasAny(RARE) ? common | rolesInAll(tokenizer, RARE_NAMES) : common
  return (roles & (END | OWN)) === END ? roles | ASIDE : roles
}

/** An element that has an author or a date as well is not an aside. */
export const isAside = (roles: number) => (roles & (ASIDE | AUTHOR | DATE)) === ASIDE
/** Whether the element has a date, but neither an author nor the date of publication. */
export const isOtherDate = (roles: number) => (roles & (OTHER_DATE | AUTHOR | DATE | META)) === OTHER_DATE

function rolesInAll(tokenizer: Tokenizer, names: readonly AttributeName[]): number {
  let roles = 0
  for (const name of names) {
    const value = tokenizer.attribute(name)
    if (value !== null) roles |= rolesIn(tokenizer.bytes, value.start, value.end)
  }
  return roles
}

/**
 * The roles that a class or id gives an element: `AUTHOR`, `DATE`, `PUBLISHED`, `META`, `OTHER_DATE` and `ASIDE`. The
 * words of a token are separated by hyphens, underscores or capitals: `entry-author`, `entry_author`, `entryAuthor`.
 */
function rolesIn(bytes: Uint8Array, start: number, end: number): number {
  const last = Math.min(end, start + MAX_CLASS_BYTES)
  let roles = 0
  let mask = 0
  let wordCount = 0
  let word = start
  for (let at = start; at <= last; at++) {
    const kind = at === last ? TOKEN_END : KINDS[bytes[at]!]!
    if (kind === LOWER) continue
    if (kind === UPPER && (at === word || KINDS[bytes[at - 1]!] === UPPER)) continue
    if (at > word) {
      const index = LOOKUP.indexOf(bytes, word, at)
      if (index >= 0) mask |= MASK_OF_INDEX[index]!
      wordCount++
    }
    word = kind === UPPER ? at : at + 1
    if (kind !== TOKEN_END) continue
    if (mask !== 0) roles |= mask === ACCOUNT ? (wordCount === 1 ? ACCOUNT : 0) : rolesOf(mask)
    mask = 0
    wordCount = 0
  }
  return roles
}

/** The roles that the words of one token give. */
function rolesOf(mask: number): number {
  if ((mask & FLAG) !== 0) return 0
  const isAuthorName = (mask & (AUTHOR | NAME)) === (AUTHOR | NAME)
  const end = (mask & OWN) === 0 ? mask & END : 0
  const beside = (mask & AUTHOR) === 0 ? 0 : mask & BESIDE_NAME
  const other = (mask & (ACCESSORY | ASIDE | CHANGE)) | end | beside
  if (other === 0 || isAuthorName) return mask & (AUTHOR | DATE | PUBLISHED | META | OWN)
  if ((mask & AUTHOR) !== 0) return 0
  if ((mask & (DATE | CHANGE)) !== 0) return OTHER_DATE | (mask & CHANGE)
  return (mask & LAYOUT) === 0 ? other & (ASIDE | END) : 0
}

const LOWER = 0
const UPPER = 1
const WORD_END = 2
const TOKEN_END = 3

/** The kind of each byte in a class: lower case, upper case, or the end of a word or token. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return UPPER
  if ((byte >= 0x61 && byte <= 0x7a) || byte >= 0x80) return LOWER
  return byte <= 0x20 ? TOKEN_END : WORD_END
})
