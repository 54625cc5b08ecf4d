import type { Calendar } from './calendars.ts'
import { monthKey } from './month-key.ts'
// By `bun test/core/extract/date/cldr-months.ts`, from https://cldr.unicode.org
import cldr from './month-names.json'
import more from './more-month-names.json'

/** A month, 1 to 12, of a calendar. */
export interface NamedMonth {
  month: number
  calendar: Calendar
}

type Names = ReadonlyMap<string, NamedMonth>

interface Table {
  names: Names
  /** The names by their first letters. */
  byStart: ReadonlyMap<string, readonly string[]>
}

/** The languages whose names count on pages without a declared language, or with `en`, the default of many templates. */
const COMMON = 'en de fr es it pt nl sv da no fi et lv pl cs hu ro tr id ru uk bg el ar sk sl lt'.split(' ')

/** Names and abbreviations that CLDR does not have, as keys (see `monthKey`). */
const MORE: Readonly<Record<string, Readonly<Record<string, number>>>> = more.names

/** Codes of languages that others replaced, and of languages with the same names. */
const ALIASES = new Map<string, string>(Object.entries(more.languages))

/** The shortest abbreviation, and the shortest name that may have a suffix: Hungarian "májusi". */
const MIN_ABBREVIATION = 3
const MIN_STEM = 4
const MAX_SUFFIX = 4

const tables = new Map<string, Table>()
let common: Names | undefined

/**
 * The month with a name, in the language of the page or in English. In an unknown language, only English names count,
 * because the same word can mean different months in two languages.
 * @param name one or two words
 * @param language a BCP 47 tag; with '' and `en`, names count that are the same month in all common languages
 */
export function monthByName(name: string, language = ''): NamedMonth | undefined {
  const key = monthKey(name).replace(' ', '_')
  const code = codeOf(language)
  const own = tableOf(code)
  const english = tableOf('en')
  return (
    own.names.get(key) ??
    english.names.get(key) ??
    (code === '' || code === 'en' ? commonNames().get(key) : undefined) ??
    inflected(key, code === '' ? english : own)
  )
}

/** The month whose name starts with an abbreviation, or is the stem of a longer form. */
function inflected(key: string, { names, byStart }: Table): NamedMonth | undefined {
  let found: NamedMonth | undefined
  for (const name of byStart.get(key.slice(0, MIN_ABBREVIATION)) ?? []) {
    const isAbbreviation = name.startsWith(key)
    const isStem = name.length >= MIN_STEM && key.length <= name.length + MAX_SUFFIX && key.startsWith(name)
    if (!isAbbreviation && !isStem) continue
    const named = names.get(name)!
    if (found !== undefined && found.month !== named.month) return undefined
    found = named
  }
  return found
}

function codeOf(language: string): string {
  const code = language.toLowerCase().split(/[-_]/, 1)[0]!
  return ALIASES.get(code) ?? code
}

function tableOf(code: string): Table {
  return tables.getOrInsertComputed(Object.hasOwn(cldr, code) ? code : '', () => {
    const names = new Map<string, NamedMonth>()
    for (const [entry, months] of Object.entries<string[]>(cldr)) {
      const [language, calendar = 'gregory'] = entry.split('@')
      if (language !== code) continue
      for (const [i, keys] of months.entries()) {
        const named = { month: i + 1, calendar: calendar as Calendar }
        for (const key of keys.split(' ')) if (!names.has(key)) names.set(key, named)
      }
    }
    for (const [name, month] of Object.entries(MORE[code] ?? {})) names.set(name, { month, calendar: 'gregory' })
    const byStart = Map.groupBy(names.keys(), (name) => name.slice(0, MIN_ABBREVIATION))
    return { names, byStart }
  })
}

/** The names that are the same month in all common languages that have them. */
function commonNames(): Names {
  if (common !== undefined) return common
  const names = new Map<string, NamedMonth | null>()
  // Croatian is not common, but has names of other months in Polish and Czech.
  for (const code of [...COMMON, 'hr'])
    for (const [key, named] of tableOf(code).names) {
      const other = names.get(key)
      names.set(key, other !== undefined && other?.month !== named.month ? null : named)
    }
  return (common = new Map([...names].filter((entry): entry is [string, NamedMonth] => entry[1] !== null)))
}
