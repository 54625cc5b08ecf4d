import table from './byline-words.json'

/**
 * The words of bylines in a language, separated by commas. The table has the languages of most pages
 * (https://w3techs.com/technologies/overview/content_language), the first fifteen with their sources.
 */
interface BylineWords {
  /** Translations of WordPress and Nikola that have most of the words. */
  sources?: readonly string[]
  /** Prepositions in front of an author: "by". */
  by?: string
  /** Words in front of these prepositions: "Written by". */
  written?: string
  /** Words in front of these prepositions for what somebody else has done: "Reviewed by", "Photo by". */
  role?: string
  /** Words for an author, which need a separator before a name, and phrases that do not: "Author:", "written by". */
  author?: string
  /** Words for the work, which need a separator in the same text: "Text: Jo Doe". */
  craft?: string
  /** Other labels, mostly of dates, places and categories: "Posted on". */
  label?: string
  /** Words of links, jobs and pictures beside names. */
  other?: string
}

const LANGUAGES: readonly BylineWords[] = Object.values(table)

const allOf = (meaning: Exclude<keyof BylineWords, 'sources'>) =>
  LANGUAGES.flatMap((language) => wordsOf(language[meaning]))

/** The prepositions of all languages. */
export const PREPOSITIONS: readonly string[] = allOf('by')
const AUTHORS = allOf('author')
const CRAFTS = allOf('craft')
const phrasesWith = (before: 'written' | 'role') =>
  LANGUAGES.flatMap(({ by, [before]: words }) =>
    wordsOf(by).flatMap((preposition) => wordsOf(words).map((word) => `${word} ${preposition}`)),
  )
const OTHERS: ReadonlySet<string> = new Set([...AUTHORS, ...CRAFTS, ...allOf('other')])

/** Parts of words beside names, in languages without spaces. */
const OTHER_PARTS = ['著者', '作者', '投稿者', 'の投稿', 'の記事', '一覧', '記者ページ', 'プロフィール']

/**
 * The kind of a prefix: a preposition, which may begin a name (`Von Miller`); a phrase, which does not; a noun such
 * as "Author" or a craft such as "Text", which need a separator before a name; the role of somebody else, such as "Photo by"; or a label of
 * something else.
 */
type PrefixKind = 'preposition' | 'phrase' | 'noun' | 'craft' | 'role' | 'label'

/** "By" begins no name, and neither does a word of a script without capitals, in which it would be a word of its own. */
const isPartOfNames = (preposition: string) => preposition !== 'by' && !/\p{Lo}/u.test(preposition)

const PREFIXES = new Map<string, PrefixKind>([
  ...allOf('label').map((text) => [text, 'label'] as const),
  ...PREPOSITIONS.map((text) => [text, isPartOfNames(text) ? 'preposition' : 'phrase'] as const),
  ...AUTHORS.map((text) => [text, text.includes(' ') ? 'phrase' : 'noun'] as const),
  ...CRAFTS.map((text) => [text, 'craft'] as const),
  ...phrasesWith('written').map((text) => [text, 'phrase'] as const),
  ...phrasesWith('role').map((text) => [text, 'role'] as const),
])

const LABELS: ReadonlySet<string> = new Set([...PREFIXES.keys(), ...allOf('written')])

/** Prefixes by their first word, the longest prefix first. */
const BY_WORD = Map.groupBy(
  [...PREFIXES.keys()].toSorted((a, b) => b.length - a.length),
  firstWord,
)

/** Separators between a prefix and a name. */
const SEPARATORS = ':：●■/／'

/** Whether a text in lower case is only a label. */
export function isLabel(text: string): boolean {
  return LABELS.has(text)
}

/** Whether a text in lower case means "Author" or "Written by". */
export function isAuthorLabel(text: string): boolean {
  const kind = PREFIXES.get(text)
  return kind !== undefined && kind !== 'role' && kind !== 'label'
}

/** Whether a text has a word of links, jobs or pictures. */
export function hasOtherWord(text: string): boolean {
  const words = text.toLowerCase().split(/[^\p{L}\p{M}]+/u)
  return words.some((word) => OTHERS.has(word)) || OTHER_PARTS.some((part) => text.includes(part))
}

/**
 * Whether a text ends in a preposition of authorship, so that the name is in the next element: "Recipe by". The last word
 * of "Wang Di" has a capital.
 */
export function endsInPreposition(text: string): boolean {
  const last = text.slice(text.lastIndexOf(' ') + 1)
  const isWord = last === last.toLowerCase() || last === text || text === text.toUpperCase()
  return isWord && PREPOSITIONS.includes(last.toLowerCase())
}

/** The prefix of a text, and the text after it; undefined without a prefix. */
export function splitPrefix(text: string): { kind: PrefixKind; rest: string; isSeparated: boolean } | undefined {
  const lower = text.toLowerCase()
  const prefix = BY_WORD.get(firstWord(lower))?.find((one) => startsWithWord(lower, one))
  if (prefix === undefined) return undefined
  const rest = text.slice(prefix.length).trimStart()
  const isSeparated = rest !== '' && SEPARATORS.includes(rest[0]!)
  return { kind: PREFIXES.get(prefix)!, rest: isSeparated ? rest.slice(1).trimStart() : rest, isSeparated }
}

function firstWord(text: string): string {
  return /^[\p{L}\d]*/u.exec(text)![0]
}

function startsWithWord(text: string, word: string): boolean {
  return text.startsWith(word) && !/^[\p{L}\d]/u.test(text.slice(word.length, word.length + 2))
}

function wordsOf(text = ''): string[] {
  return text === '' ? [] : text.split(',')
}
