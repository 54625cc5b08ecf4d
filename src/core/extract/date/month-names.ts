import { wordSet } from '../../word-set.ts'

/**
 * Prefixes of the names of months in English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish,
 * Norwegian, Finnish, Estonian, Latvian, Polish, Czech, Hungarian, Romanian, Turkish, Indonesian, Russian, Ukrainian,
 * Bulgarian, Greek and Arabic. The longest match wins. Not Croatian: Polish and Czech use its names for other months.
 */
const PREFIXES: readonly string[] = [
  'jan jän ene gen tammik stycz sty led ian jaan oca янв яну січ ιαν يناير',
  'feb fev fév fév helmik lut úno únor feb veebr şub фев лют φεβ فبراير',
  'mar mär maal mrt bře mär мар бер μαρ مارس',
  'apr abr avr huhtik kwie dub nis апр квіт απρ أبريل ابريل',
  'may mai maj mag mei toukok kvě máj мая май трав μαι μάι مايو',
  'jun juin giu kesäk czerw červn červen jún jūn juun iun haz июн юни черв ιουν يونيو',
  'jul juil lug heinäk lip červenc júl jūl juul iul tem июл юли лип ιουλ يوليو',
  'aug ago aoû aou août elok sierp sie srp avg ağu авг серп αυγ أغسطس اغسطس',
  'sep set syysk wrz září szept eyl сен верес σεπ سبتمبر',
  'oct okt ott out lokak paź říj eki окт жовт οκτ أكتوبر اكتوبر',
  'nov marrask lis kas ноя ное листоп νοε νοέ نوفمبر',
  'dec dez déc dic des jouluk gru pros ara dets дек груд δεκ ديسمبر',
]

/** Words that start like the name of a month. */
const NOT_MONTHS = wordSet(
  'martes mardi martedi maandag main major made many market setting second decided deck mark desk',
)

/** Longest first, because Finnish `marraskuu` is November but `mar` is March. */
const MONTHS = PREFIXES.flatMap((line, month) =>
  line.split(' ').map((prefix) => ({ prefix: withoutAccents(prefix), month: month + 1 })),
).toSorted((a, b) => b.prefix.length - a.prefix.length)

/** The number of a month (1 to 12) by its name or abbreviation. */
export function monthByName(word: string): number | undefined {
  const name = withoutAccents(word.toLowerCase())
  if (NOT_MONTHS.has(name)) return undefined
  return MONTHS.find(({ prefix }) => name.startsWith(prefix))?.month
}

function withoutAccents(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '')
}
