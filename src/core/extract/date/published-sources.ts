import { firstOf } from '../../first-of.ts'
import { dayIn, pathDay, shortDayIn } from './calendar-day.ts'
import type { Mark } from '../reading/marked-elements.ts'
import type { Normalize } from '../reading/normalize.ts'
import type { MarkedFragment, SourcePage } from '../sources/sources.ts'
import { itemprop, jsonLdTime, meta, metas, type Source } from '../sources/sources.ts'

/* Dates in the body's markup and the path. Times in attributes are returned unchanged, visible days as `2016-12-15`. */

/** The maximum number of elements with the same mark to read. */
const MAX_ELEMENTS = 4

/** The maximum number of texts after the headline to read. */
const MAX_TEXTS = 15

/** The maximum length of a text that has a date and a few words. */
const MAX_DATE_TEXT = 100

/** The maximum number of words before a date: "Veröffentlicht am Montag, dem 3. Mai 2021". Sentences have more. */
const MAX_WORDS_BEFORE = 4

/** Words before the date of a change: "Last updated on 3 May 2021". */
const CHANGE =
  /updated|modifi|revised|aktualis|geändert|mise? à jour|ac?tualiz|aggiorna|bijgewerkt|gewijzigd|uppdaterad|oppdatert|opdateret|обновлен|оновлено|更新|수정|güncelle|diperbarui/iu

/** In a visible line they are names: "Von Jo Doe und Ann Roe am Montag, 3. Mai 2021". */
const CAPITALIZED_WORDS = /\p{Lu}\S*/gu

/** `<time datetime>`, if all on the page are of the same day. */
const timeElements: Source = {
  label: 'time elements',
  isGuess: true,
  find(page, normalize) {
    const times = page.times
    const days = new Set(times.map((time) => dayOn(page, time)))
    return days.size === 1 && !days.has(undefined) ? normalize(times[0]!) : undefined
  },
}

const pathDate: Source = {
  label: 'path',
  isGuess: true,
  find: (page, normalize) => normalize(pathDay(page.url.pathname, { language: page.locale, now: page.now }) ?? ''),
}

/** Visible text around the headline. */
const visibleDate: Source = {
  label: 'visible date',
  isGuess: true,
  find: (page, normalize) => firstDate(page, 'above headline', normalize) ?? dateAfterHeadline(page, normalize),
}

/** Visible text in a byline, or in an element with a class or id such as `date` or `meta`. */
const dateClass: Source = {
  label: 'date class',
  isGuess: true,
  find: (page, normalize) =>
    firstDate(page, 'author class', normalize) ??
    firstDate(page, 'date class', normalize) ??
    firstDate(page, 'meta class', normalize),
}

/** Metadata first, then marked elements of the body, then the URL, then visible text. */
export const PUBLISHED_SOURCES: readonly Source[] = [
  meta('article:published_time'),
  jsonLdTime('datePublished'),
  ...metas(
    'article:published article:published_date article:published:time date:published_time og:article:published_time og:published_time',
  ),
  jsonLdTime('uploadDate'),
  jsonLdTime('dateCreated'),
  jsonLdTime('datePosted'),
  itemprop('datePublished'),
  ...metas(
    'datePublished dc.date.issued dcterms.issued dcterms.available dc.date.created dcterms.created ' +
      'parsely-pub-date sailthru.date cXenseParse:recs:publishtime rnews:datePublished ' +
      'shareaholic:article_published_time bt:pubDate citation_publication_date citation_date ' +
      'citation_online_date publication_date publish_date publish-date publishdate pubdate ' +
      'book:release_date music:release_date video:release_date',
  ),
  itemprop('dateCreated'),
  // It was removed from the HTML Standard.
  dateOf('time pubdate', 'pubdate'),
  dateOf('published class', 'published class'),
  dateOf('rdfa date', 'property'),
  timeElements,
  pathDate,
  visibleDate,
  // These do not say what happened on that day. Often it is the last change.
  ...metas('dc.date dcterms.date date').map((source) => ({ ...source, isGuess: true })),
  dateClass,
]

function dateOf(label: string, mark: Mark): Source {
  return { label, find: (page, normalize) => firstDate(page, mark, normalize) }
}

function firstDate(page: SourcePage, mark: Mark, normalize: Normalize): string | undefined {
  return firstOf(page.marked(mark, MAX_ELEMENTS), (element) => {
    const date = dateIn(element, page, mark === 'meta class')
    return date === undefined ? undefined : normalize(date)
  })
}

/** The unchanged date in `datetime`, `content` or `title`, or else the day in the text, which may go on if `isLong`. */
function dateIn({ time, fragment }: MarkedFragment, page: SourcePage, isLong: boolean): string | undefined {
  const times = [time, fragment?.attributeText, fragment?.time]
  const attribute = times.find((text) => text && !isProse(text) && dayOn(page, text))
  if (typeof attribute === 'string') return attribute
  const text = (fragment?.texts.join(' ') ?? '').slice(0, isLong ? MAX_DATE_TEXT : Infinity)
  return isDateLine(text) ? (dayOn(page, text) ?? shortDayIn(text, page.now)) : undefined
}

/** Whether a text is short and has few words in front of its date, except capitalized ones such as names. */
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

const textBeforeDigit = (text: string) => text.split(/\d/, 1)[0]!

/** The first day after the headline. The day of a change counts only if there is no other. */
function dateAfterHeadline(page: SourcePage, normalize: Normalize): string | undefined {
  let changed: string | undefined
  let label = ''
  for (const text of page.textsAfterHeadline.slice(0, MAX_TEXTS)) {
    const day = text.length > MAX_DATE_TEXT ? undefined : dayOn(page, text)
    const before = textBeforeDigit(text)
    if (day !== undefined && isDateLine(text)) {
      if (!CHANGE.test(label + before)) return normalize(day)
      changed ??= day
    }
    label = before === text ? text : ''
  }
  return changed && normalize(changed)
}

function dayOn({ locale, now }: SourcePage, text: string): string | undefined {
  return dayIn(text, { language: locale, now })
}
