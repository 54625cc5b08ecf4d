import { monthOf } from './month-names.ts'
import type { Normalize } from './normalize.ts'

/** Length and words of a text that is a name or a few. */
const MAX_NAME_LENGTH = 80
const MAX_WORDS = 12

/** Length of a line that begins with names. */
const MAX_LINE_LENGTH = 200

/** What follows a name in a byline: a date, a job, a place. */
const AFTER_NAME =
  /\s?[|•·]\s?|\s[–—-]\s|\s?\d|,? (?:on|am|le|published|updated|veröffentlicht|publié|posted|aktualisiert|for the|special to)(?=\s|$)/iu

/** Words of links, jobs, pictures and agencies' lines beside names. */
const NOT_IN_NAMES: ReadonlySet<string> = new Set(
  (
    'about view see more all posts articles follow profile author authors share comment comments read min minutes ago ' +
    'subscribe sign log menu home news updated published photo getty images autor autoren auteur autore автор über mehr ' +
    'alle contact email twitter facebook by writer reporter editor correspondent'
  ).split(' '),
)
const NO_NAME_PARTS = ['著者', '作者', '一覧', '記者ページ', 'プロフィール']

/** Marks that a name does not have. */
const NO_NAME_MARKS = /[\d:?!"“”=<>{}]/

/** A short text that is a name, or several; what follows the name in a byline is dropped. */
export function visibleName(text: string, normalize: Normalize): string | undefined {
  if (text.length > MAX_LINE_LENGTH) return undefined
  const line = normalize(text)
  const name = line === undefined ? undefined : normalize(beforeDate(line))
  return name !== undefined && isNameLike(name) ? name : undefined
}

/** The beginning of a line that ends with a date or the like: `Jo Doe, May 4` is cut off before the month. */
function beforeDate(line: string): string {
  const start = line.split(AFTER_NAME, 1)[0]!
  const isBeforeDigit = /^\s?\d/.test(line.slice(start.length))
  const lastWord = start.slice(start.lastIndexOf(' ') + 1)
  return isBeforeDigit && monthOf(lastWord) !== undefined ? start.slice(0, -lastWord.length) : start
}

/** A text of the length of a name. */
export function shortName(text: string, normalize: Normalize): string | undefined {
  const name = normalize(text)
  return name === undefined || name.length > MAX_NAME_LENGTH ? undefined : name
}

function isNameLike(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH || NO_NAME_MARKS.test(text)) return false
  const words = text.split(' ')
  if (words.length > MAX_WORDS || (words.length === 1 && monthOf(text) !== undefined)) return false
  if (NO_NAME_PARTS.some((part) => text.includes(part))) return false
  if (words.some((word) => NOT_IN_NAMES.has(word.toLowerCase().replace(/[^\p{L}]/gu, '')))) return false
  const capitals = words.filter((word) => /^[^\p{L}]*(?:\p{Lu}|\p{Lo})/u.test(word)).length
  return capitals > 0 && capitals >= words.length / 2
}
