import { decoderOf } from './text.ts'

/** Guesses the WHATWG name of the encoding of text that is not UTF-8, given a top-level domain. There always is a guess. */
export type GuessEncoding = (bytes: Uint8Array, topLevelDomain: string) => string

/** The URL of a page after redirects, and its locale in the form of BCP 47 or Open Graph, or ''. */
export type PageOrigin = Readonly<{ url: URL; locale: string }>

/**
 * How much of a page is examined, from the first byte that is not ASCII. That is usually in the title, and this much
 * text is enough for every language. It takes about 3 ms, or 25 ms if the bytes are chosen to be slow.
 */
const MAX_EXAMINED_BYTES = 32_768

/** With this many letters, the text is a better clue than the locale and the domain. */
const MANY_LETTERS = 40

/** With fewer accented letters, Western European text can be taken for text in another language. */
const MIN_LETTERS = 6

/** Any language but English, which templates declare for pages in all languages. */
const LOCALE = /^(?!en(?:[-_]|$))[a-z]{2,3}(?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|\d{3}))?$/i

const WESTERN_EUROPEAN = 'windows-1252'

/** Encodings for other languages in Latin script. */
const LATIN = /^(?:windows-125[0478]|iso-8859-(?:2|4|13))$/

/** Text without letters that Hungarian does not have. */
const HUNGARIAN = /^(?:\P{L}|[a-záéíóöőúüű])*$/iv

/** Letters inside words, unlike `©` and `«`, which are letters in other encodings. */
const ACCENTED = /(?<=[a-z])[\p{L}--\p{ASCII}]|[\p{L}--\p{ASCII}](?=[a-z])/giv

/**
 * Words in scripts other than Latin. In Latin text, accented letters rarely follow each other. Dashes and bullets, which
 * are letters in other encodings, do, but as one character that is repeated.
 */
const WORDS = /(?!(.)\1)(?:[[\p{L}\p{M}]--\p{ASCII}]{3,}|\p{Script=Hangul}{2})/gv

/**
 * Detects the encoding of a page that is not UTF-8 and declares none. If there are few letters, the locale of the page
 * decides, or else its domain. Returns windows-1252 for Western European text, for text that is too short to be sure,
 * and for UTF-8 with some invalid bytes. Takes time proportional to the examined bytes.
 */
export function undeclaredEncoding(bytes: Uint8Array, page: PageOrigin, guess: GuessEncoding): string {
  const examined = bytes.subarray(bytes.findIndex((byte) => byte >= 0x80)).subarray(0, MAX_EXAMINED_BYTES)
  if (lengthOfMost(examined, 'utf-8', /[\P{ASCII}--\ufffd]/gv) > 0) return WESTERN_EUROPEAN
  const { region } = LOCALE.test(page.locale) ? new Intl.Locale(page.locale.replaceAll('_', '-')).maximize() : {}
  const domain = page.url.hostname.split('.').at(-1)!
  // Hungarian is the only language of which longer texts are taken for Western European.
  const isHungarian = domain === 'hu' && HUNGARIAN.test(decoderOf('windows-1250').decode(examined))
  const general = guess(examined, 'com')
  const letters = lettersOf(examined, general)
  const isSure = letters >= MANY_LETTERS || (general === WESTERN_EUROPEAN && region === undefined && !isHungarian)
  const local = isSure ? general : guess(examined, region?.toLowerCase() ?? domain)
  if (lettersOf(examined, local) >= (region === undefined ? MIN_LETTERS : 1)) return local
  if (letters >= MIN_LETTERS) return general
  // One invalid character, such as half a character at the end of a shortened description, rules an encoding out. If
  // that is why no encoding was found, the second half is examined. No character contains the byte of a `<`.
  const middle = examined.lastIndexOf(0x3c, examined.length / 2)
  if (middle < 0 || lengthOfMost(examined, WESTERN_EUROPEAN, /\P{ASCII}{4,}/gv) === 0) return WESTERN_EUROPEAN
  return undeclaredEncoding(examined.subarray(middle), page, guess)
}

/** The number of letters that support a guess. Western European text needs no support. */
function lettersOf(bytes: Uint8Array, encoding: string): number {
  if (LATIN.test(encoding)) return (decoderOf(encoding).decode(bytes).match(ACCENTED) ?? []).length
  return encoding === WESTERN_EUROPEAN ? 0 : lengthOfMost(bytes, encoding, WORDS)
}

/** The total length of the matches in a text if it is at least half of the characters other than ASCII; otherwise 0. */
function lengthOfMost(bytes: Uint8Array, encoding: string, pattern: RegExp): number {
  const text = decoderOf(encoding).decode(bytes)
  const { length } = (text.match(pattern) ?? []).join('')
  return 2 * length < text.replaceAll(/[\p{ASCII}\s]/gv, '').length ? 0 : length
}
