/**
 * Accents, Arabic vowel signs and joiners, and the points and apostrophes of abbreviations: names are written without
 * them too.
 */
const NOT_IN_KEYS = /[\u{300}-\u{36f}]|[\u{64b}-\u{65f}]|[\u{640}\u{200c}-\u{200f}.'’׳״॰·]/gu

const ASCII_LETTERS = /^[a-z]+$/

/** The key of a month's name in the tables of names. */
export function monthKey(name: string): string {
  const lower = name.toLowerCase()
  return ASCII_LETTERS.test(lower) ? lower : lower.normalize('NFD').replace(NOT_IN_KEYS, '').normalize('NFC')
}
