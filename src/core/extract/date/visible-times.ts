import { DAY_MS } from '../../duration.ts'
import { firstOf } from '../../first-of.ts'
import type { TextsAfter } from '../reading/fragment.ts'
import type { Mark } from '../reading/marked-elements.ts'
import type { Normalize } from '../reading/normalize.ts'
import type { MarkedFragment, Source, SourcePage } from '../sources/sources.ts'
import { dayIn, namedDayIn, shortDayIn } from './calendar-day.ts'
import { timeOfParts } from './time-of-parts.ts'

/* Times in the body's markup and visible text. Times in attributes are returned unchanged, visible days as `2016-12-15`. */

/** The event that a time belongs to. */
type TimeKind = 'published' | 'changed'

/** The maximum number of elements with the same mark to read. */
const MAX_ELEMENTS = 4

/** The maximum number of texts to read. */
const MAX_TEXTS = 15

/** The maximum length of a text that has a date and a few words. */
const MAX_DATE_TEXT = 100

/** The maximum number of words before a date: "Veröffentlicht am Montag, dem 3. Mai 2021". Sentences have more. */
const MAX_WORDS_BEFORE = 4

/** Words before the date of a change: "Last updated on 3 May 2021". */
const CHANGE =
  /updated|modifi|revised|aktualis|geändert|mise? à jour|ac?tualiz|aggiorna|bijgewerkt|gewijzigd|uppdaterad|oppdatert|opdateret|обновлен|оновлено|更新|수정|güncelle|diperbarui/iu

/** Words before the current time and before the registration of a member: the language packs of phpBB and XenForo. */
const NOT_OF_PAGE =
  /^(?:it is currently|today(?: is|:)|the time (?:is )?now|current time|aktuelle zeit|es ist|heute ist|nous sommes|fecha actual|ora corrente|oggi è|het is (?:nu|momenteel)|agora são|data atual|hoje é|текущее время|сейчас|obecny czas|dzisiaj jest|právě je|det är|det er nå|nyt on|şu an|现在的时间|目前的時間|現在時刻)|\b(?:joined|registered|member since|registriert|(?:mitglied|dabei) seit|inscri(?:t|ption)|registrado|iscritto|lid sinds|geregistreerd|dołączył|blev medlem)(?!\p{L})|(?:зарегистрирован|регистрация)/iu

/** Between the parts of a line with the dates of the publication and of a change. */
const PARTS = /[,;|·•(]\s*(?=\p{L})|\s[–—-]\s/u

/** Capitalized words in a visible line are names: "Von Jo Doe und Ann Roe am Montag, 3. Mai 2021". */
const CAPITALIZED_WORDS = /\p{Lu}\S*/gu

/** The first time in elements with a mark. */
export function markedTime(label: string, mark: Mark): Source {
  return { label, find: (page, normalize) => firstMarkedTime(page, mark, normalize) }
}

export function firstMarkedTime(page: SourcePage, mark: Mark, normalize: Normalize): string | undefined {
  const find =
    mark === 'changed class' ? anyTimeIn : (one: Element) => timeOfKind(one, page, 'published', mark === 'meta class')
  return firstOf(page.body.marked(mark, MAX_ELEMENTS), (element) => {
    const time = find(element, page)
    return time === undefined ? undefined : normalize(time)
  })
}

/** The first time of a kind directly above the headline, or else shortly after it. */
export function timeAtHeadline(kind: TimeKind): Source['find'] {
  return (page, normalize) => {
    if (page.jsonLd.isProduct) return undefined
    const fragment = page.body.aboveHeadline
    const above = fragment === null ? undefined : timeOfKind({ time: null, fragment }, page, kind)
    const time = (above && normalize(above)) ?? timeAmong(page.body.afterHeadline, page, kind)
    return time && normalize(time)
  }
}

type Element = Pick<MarkedFragment, 'time' | 'fragment'>

/** The first time of a kind in an element whose words say what its times are. */
function timeOfKind(element: Element, page: SourcePage, kind: TimeKind, isLong = false): string | undefined {
  const words = wordsOf(element)
  if (NOT_OF_PAGE.test(words)) return undefined
  if (element.fragment !== null && CHANGE.test(words)) return timeAmong(element.fragment, page, kind)
  return kind === 'changed' ? undefined : anyTimeIn(element, page, isLong)
}

/**
 * The unchanged time in `datetime`, in parts, or in `content` or `title`, or else the day in the text. If `isLong`, any
 * text may follow the day.
 */
function anyTimeIn(element: Element, page: SourcePage, isLong = false): string | undefined {
  const { time, fragment } = element
  const times = [
    time,
    timeOfParts(fragment?.names.value?.map(({ text }) => text)),
    fragment?.attributeText,
    fragment?.time,
  ]
  const attribute = times.find((text) => text && !isProse(text) && dayOn(page, text))
  if (typeof attribute === 'string') return attribute
  const text = wordsOf(element).slice(0, isLong ? MAX_DATE_TEXT : Infinity)
  return isDateLine(text) ? (dayOn(page, text) ?? shortDayIn(text, optionsOf(page))) : undefined
}

const wordsOf = ({ fragment }: Element) => fragment?.texts.join(' ') ?? ''

/** The first time of a kind among texts, of which one may be the label of the next. */
function timeAmong({ texts, times }: TextsAfter, page: SourcePage, kind: TimeKind): string | undefined {
  let label = ''
  for (const [i, text] of texts.slice(0, MAX_TEXTS).entries()) {
    if (!times.has(i) && !/\p{Nd}/u.test(text)) {
      label = text.slice(-MAX_DATE_TEXT)
      continue
    }
    for (const part of CHANGE.test(text) ? text.split(PARTS) : [text]) {
      const start = textBeforeDigit(part)
      const time = visibleTime(page, part, times.get(i))
      // Last, because most texts have no time, and these expressions are slow.
      const isOfKind = time !== undefined && CHANGE.test(label + start) === (kind === 'changed')
      if (isOfKind && !NOT_OF_PAGE.test(label + start)) return time
      label = start === part ? part : ''
    }
  }
  return undefined
}

/**
 * The unchanged time that the markup of a text has, or else the day in a line with a date. If the text has the name of a
 * month, and is of another day, the markup has the time of a change.
 */
function visibleTime(page: SourcePage, text: string, time: string | undefined): string | undefined {
  const marked = time === undefined ? undefined : dayOn(page, time)
  const isLine = isDateLine(text)
  if (marked === undefined) return isLine ? dayOn(page, text) : undefined
  const named = isLine ? namedDayIn(text, optionsOf(page)) : undefined
  return named !== undefined && Math.abs(Date.parse(named) - Date.parse(marked)) > DAY_MS ? named : time
}

/** Whether a text is short and has few words before its date. Capitalized words, such as names, are not counted. */
function isDateLine(text: string): boolean {
  return text.length <= MAX_DATE_TEXT && !isProse(text.replace(CAPITALIZED_WORDS, ''))
}

function isProse(text: string): boolean {
  return (
    textBeforeDigit(text)
      .split(/\P{L}+/u)
      .filter(Boolean).length > MAX_WORDS_BEFORE
  )
}

const textBeforeDigit = (text: string) => text.split(/\p{Nd}/u, 1)[0]!

const optionsOf = ({ locale, now }: SourcePage) => ({ language: locale, now })

export function dayOn(page: SourcePage, text: string): string | undefined {
  return dayIn(text, optionsOf(page))
}
