// The names of months as Unicode's CLDR has them, read from the engine's Intl.
// Writes src/core/extract/date/month-names.json: bun test/core/extract/date/cldr-months.ts
import { monthKey } from '../../../../src/core/extract/date/month-key.ts'

/** Languages whose dates have month names, with regional variants that have other names. */
const LANGUAGES =
  'af am ar,ar-LB,ar-DZ,ar-MA as az be bg bn bs,bs-Cyrl ca cs cy da de,de-AT el en eo es,es-PE et eu fa fi fil fo fr,fr-CA ' +
  'ga gl gu he hi hr hu hy id is it ka kk km kn ky lb lo lt lv mk ml mr ms mt my ne nl no or pa pl pt,pt-PT ro,ro-MD ' +
  'ru si sk sl sq sr,sr-Latn sv sw ta te th tk tr uk ur uz,uz-Cyrl zu'

/** Other calendars, which are beside the Gregorian one in dates of these languages. */
const CALENDARS = 'fa@persian ar@islamic-umalqura fa@islamic-umalqura ur@islamic-umalqura'

/** A form of each month: in a date and alone, full and abbreviated. */
const FORMS: readonly Intl.DateTimeFormatOptions[] = [
  { month: 'long', day: 'numeric', year: 'numeric' },
  { month: 'long' },
  { month: 'short', day: 'numeric', year: 'numeric' },
  { month: 'short' },
]

/** Days of 25 months, among which each month of any calendar is. */
const DAYS = Array.from({ length: 54 }, (_, n) => Date.UTC(2023, 0, 1 + 14 * n))

/** The keys of each month by language, separated by spaces; words of one name by underscores. */
export function cldrMonths(): Record<string, string[]> {
  const entries = `${LANGUAGES} ${CALENDARS}`.split(' ').map((entry) => {
    const [languages = '', calendar = 'gregory'] = entry.split('@')
    const months = Array.from({ length: 12 }, () => new Set<string>())
    for (const language of languages.split(',')) {
      const numbers = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, { month: 'numeric', timeZone: 'UTC' })
      for (const form of FORMS) {
        const format = new Intl.DateTimeFormat(`${language}-u-ca-${calendar}`, { ...form, timeZone: 'UTC' })
        for (const day of DAYS) {
          const name = format.formatToParts(day).find(({ type }) => type === 'month')!.value
          const month = Number(numbers.formatToParts(day).find(({ type }) => type === 'month')!.value)
          for (const key of keysOf(name, language)) months[month - 1]!.add(key)
        }
      }
    }
    return [
      languages.split(',')[0]! + (calendar === 'gregory' ? '' : `@${calendar}`),
      months.map((keys) => [...keys].join(' ')),
    ]
  })
  return Object.fromEntries(entries)
}

function keysOf(name: string, language: string): string[] {
  // Catalan: "de gener".
  const noun = language === 'ca' ? name.replace(/^de /, '') : name
  const key = monthKey(noun).replaceAll(' ', '_')
  if (!/\p{L}/u.test(key)) return []
  // Hebrew: "in January" is one word.
  return language === 'he' ? [key, `ב${key}`] : [key]
}

if (import.meta.main) {
  const path = new URL('../../../../src/core/extract/date/month-names.json', import.meta.url).pathname
  await Bun.write(path, `${JSON.stringify(cldrMonths(), null, 2)}\n`)
}
