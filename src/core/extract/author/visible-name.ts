import { monthByName } from '../date/month-names.ts'
import type { Normalize } from '../reading/normalize.ts'

/** The maximum length and number of words of a text with one or a few names. */
const MAX_NAME_LENGTH = 80
const MAX_WORDS = 12

/** The maximum length of a line that starts with names. */
const MAX_LINE_LENGTH = 200

/** Text that follows a name in a byline: a date, a job, a place. */
const AFTER_NAME =
  /\s?[|•·]\s?|\s[–—-]\s|\s?\d|,? (?:on|am|le|published|updated|veröffentlicht|publié|posted|aktualisiert|for the|special to)(?=\s|$)/iu

/** Words of links, jobs, pictures and agencies that occur beside names. */
const NOT_IN_NAMES: ReadonlySet<string> = new Set(
  (
    'about view see more all posts articles follow profile author authors share comment comments read min minutes ago ' +
    'subscribe sign log menu home news updated published photo getty images autor autoren auteur autore автор über mehr ' +
    'alle contact email twitter facebook by writer reporter editor correspondent'
  ).split(' '),
)
const NON_NAME_PARTS = ['著者', '作者', '一覧', '記者ページ', 'プロフィール']

/** Characters that do not occur in names. */
const NON_NAME_CHARACTERS = /[\d:?!"“”=<>{}]/

/** One or several names at the start of a short text. Text after them, as in a byline, is removed. */
export function visibleName(text: string, normalize: Normalize): string | undefined {
  if (text.length > MAX_LINE_LENGTH) return undefined
  const line = normalize(text)
  const name = line === undefined ? undefined : normalize(beforeDate(line))
  return name !== undefined && isNameLike(name) ? name : undefined
}

/** The part of a line before a date or similar: `Jo Doe, May 4` is cut before the month. */
function beforeDate(line: string): string {
  const start = line.split(AFTER_NAME, 1)[0]!
  const isBeforeDigit = /^\s?\d/.test(line.slice(start.length))
  const lastWord = start.slice(start.lastIndexOf(' ') + 1)
  return isBeforeDigit && monthByName(lastWord) !== undefined ? start.slice(0, -lastWord.length) : start
}

/** A text, if it is not longer than a name. */
export function shortName(text: string, normalize: Normalize): string | undefined {
  const name = normalize(text)
  return name === undefined || name.length > MAX_NAME_LENGTH ? undefined : name
}

function isNameLike(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH || NON_NAME_CHARACTERS.test(text)) return false
  const words = text.split(' ')
  if (words.length > MAX_WORDS || (words.length === 1 && monthByName(text) !== undefined)) return false
  if (NON_NAME_PARTS.some((part) => text.includes(part))) return false
  if (words.some((word) => NOT_IN_NAMES.has(word.toLowerCase().replace(/[^\p{L}]/gu, '')))) return false
  const capitals = words.filter((word) => /^[^\p{L}]*(?:\p{Lu}|\p{Lo})/u.test(word)).length
  return capitals > 0 && capitals >= words.length / 2
}
