import { itemprop, jsonLdTime, meta, metas, metaValue, type Source } from '../sources/sources.ts'
import {
  dateClass,
  pathDate,
  publishedClass,
  rdfaDate,
  timeElements,
  timePubdate,
  visibleDate,
} from './visible-dates.ts'

/** Metadata first, then marked elements of the body, then the URL, then visible text. */
export const PUBLISHED_SOURCES: readonly Source[] = [
  meta('article:published_time'),
  jsonLdTime('datePublished'),
  ...metas(
    'article:published article:published_date article:published:time date:published_time og:article:published_time og:published_time',
  ),
  jsonLdTime('uploadDate'),
  jsonLdTime('dateCreated'),
  itemprop('datePublished'),
  ...metas(
    'datePublished dc.date.issued dcterms.issued dcterms.available dc.date.created dcterms.created ' +
      'parsely-pub-date sailthru.date cXenseParse:recs:publishtime rnews:datePublished ' +
      'shareaholic:article_published_time bt:pubDate citation_publication_date citation_date ' +
      'citation_online_date publication_date publish_date publish-date publishdate pubdate',
  ),
  metaValue('article:published_time'),
  itemprop('dateCreated'),
  timePubdate,
  publishedClass,
  rdfaDate,
  timeElements,
  pathDate,
  visibleDate,
  // These do not say what happened on that day. Often it is the last change.
  ...metas('dc.date dcterms.date date').map((source) => ({ ...source, isGuess: true })),
  dateClass,
]
