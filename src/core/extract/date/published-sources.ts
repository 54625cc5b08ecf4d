import { itemprop, jsonLdTime, meta, metas, place, type Source } from '../sources/sources.ts'
import { pathDay } from './calendar-day.ts'
import { dayOn, firstMarkedTime, markedTime, timeAtHeadline } from './visible-times.ts'

/** `<time datetime>`, if all such elements on the page have the same day. */
const timeElements: Source = {
  label: 'time elements',
  isGuess: true,
  find(page, normalize) {
    const times = page.body.times
    const days = new Set(times.map((time) => dayOn(page, time)))
    return days.size === 1 && !days.has(undefined) ? normalize(times[0]!) : undefined
  },
}

const pathDate: Source = {
  ...place('path', ({ url, locale, now }) => pathDay(url.pathname, { language: locale, now }) ?? ''),
  isGuess: true,
}

/** Visible text around the headline. */
const visibleDate: Source = { label: 'visible date', isGuess: true, find: timeAtHeadline('published') }

/** Visible text in a byline, or in an element with a class or id such as `date` or `meta`. */
const dateClass: Source = {
  label: 'date class',
  isGuess: true,
  find: (page, normalize) =>
    firstMarkedTime(page, 'author class', normalize) ??
    firstMarkedTime(page, 'date class', normalize) ??
    firstMarkedTime(page, 'meta class', normalize),
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
  // The HTML Standard no longer has the attribute `pubdate`.
  markedTime('time pubdate', 'pubdate'),
  markedTime('published class', 'published class'),
  markedTime('rdfa date', 'property'),
  timeElements,
  pathDate,
  visibleDate,
  // The names of these tags do not say which date they have. Often it is the date of the last change.
  ...metas('dc.date dcterms.date date').map((source) => ({ ...source, isGuess: true })),
  dateClass,
]

export const MODIFIED_SOURCES: readonly Source[] = [
  meta('article:modified_time'),
  meta('og:updated_time'),
  jsonLdTime('dateModified'),
  itemprop('dateModified'),
  ...metas(
    'article:modified og:article:modified_time og:modified_time dc.date.modified dcterms.modified last-modified lastmod dateModified',
  ),
  markedTime('updated class', 'changed class'),
  { label: 'visible change', find: timeAtHeadline('changed') },
]
