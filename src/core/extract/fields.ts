import {
  type Accept,
  acceptName,
  acceptText,
  MAX_DESCRIPTION_LENGTH,
  MAX_LINE_LENGTH,
  MAX_TITLE_LENGTH,
} from './accept.ts'
import type { Page } from './page.ts'
import {
  htmlLang,
  icon,
  itemprop,
  jsonLd,
  jsonLdAuthor,
  jsonLdImage,
  jsonLdPublisher,
  jsonLdWebSite,
  link,
  linkTitle,
  meta,
  metaValue,
  type Source,
  titleElement,
} from './sources.ts'

/** Where a value goes in the answer. */
export type FieldPath =
  | 'canonical_url'
  | 'title'
  | 'description'
  | 'image'
  | 'favicon'
  | 'site_name'
  | 'type'
  | 'locale'
  | 'twitter_card.card'
  | 'twitter_card.site'
  | 'twitter_card.creator'
  | 'meta.author'
  | 'meta.published_time'
  | 'meta.modified_time'

interface Field {
  path: FieldPath
  accept(page: Page): Accept
  /** In order of precedence: the first source with an acceptable value wins. */
  sources: readonly Source[]
}

const title = () => acceptText(MAX_TITLE_LENGTH)
const description = () => acceptText(MAX_DESCRIPTION_LENGTH)
const line = () => acceptText(MAX_LINE_LENGTH)
const personName = () => acceptName
const address = (page: Page) => (value: string) => page.resolve(value)

/** Every field and where it comes from. docs/extraction.md shows this table to users: keep the two alike. */
export const FIELDS: readonly Field[] = [
  { path: 'canonical_url', accept: address, sources: [link('canonical'), meta('og:url')] },
  {
    path: 'title',
    accept: title,
    sources: [
      meta('og:title'),
      titleElement,
      meta('twitter:title'),
      jsonLd('headline'),
      jsonLd('name'),
      itemprop('headline'),
      meta('dc.title'),
      meta('dcterms.title'),
      meta('parsely-title'),
      meta('sailthru.title'),
      meta('citation_title'),
      meta('title'),
      metaValue('og:title'),
      metaValue('twitter:title'),
    ],
  },
  {
    path: 'description',
    accept: description,
    sources: [
      meta('og:description'),
      meta('description'),
      meta('twitter:description'),
      jsonLd('description'),
      itemprop('description'),
      meta('dc.description'),
      meta('dcterms.description'),
      meta('dcterms.abstract'),
      meta('sailthru.description'),
      meta('citation_abstract'),
      metaValue('og:description'),
      metaValue('description'),
      metaValue('twitter:description'),
    ],
  },
  {
    path: 'image',
    accept: address,
    sources: [
      meta('og:image'),
      meta('og:image:url'),
      meta('og:image:secure_url'),
      meta('twitter:image'),
      meta('twitter:image:src'),
      jsonLdImage,
      link('image_src'),
      itemprop('image'),
      itemprop('thumbnailUrl'),
      meta('parsely-image-url'),
      meta('sailthru.image.full'),
      meta('sailthru.image.thumb'),
      meta('thumbnail'),
      metaValue('og:image'),
      metaValue('twitter:image'),
      metaValue('twitter:image:src'),
    ],
  },
  { path: 'favicon', accept: address, sources: [icon('icon'), icon('apple-touch-icon')] },
  {
    path: 'site_name',
    accept: line,
    sources: [
      meta('og:site_name'),
      meta('application-name'),
      jsonLdPublisher,
      jsonLdWebSite,
      metaValue('og:site_name'),
    ],
  },
  { path: 'type', accept: line, sources: [meta('og:type')] },
  { path: 'locale', accept: line, sources: [meta('og:locale'), htmlLang] },
  { path: 'twitter_card.card', accept: line, sources: [meta('twitter:card')] },
  { path: 'twitter_card.site', accept: line, sources: [meta('twitter:site')] },
  { path: 'twitter_card.creator', accept: line, sources: [meta('twitter:creator')] },
  {
    path: 'meta.author',
    accept: personName,
    sources: [
      meta('article:author'),
      meta('author'),
      jsonLdAuthor,
      itemprop('author'),
      linkTitle('author'),
      meta('article:author:name'),
      meta('og:article:author'),
      meta('og:author'),
      meta('book:author'),
      meta('dc.creator'),
      meta('dcterms.creator'),
      meta('parsely-author'),
      meta('sailthru.author'),
      meta('citation_author'),
      meta('byl'),
      metaValue('article:author'),
      metaValue('author'),
    ],
  },
  {
    path: 'meta.published_time',
    accept: line,
    sources: [
      meta('article:published_time'),
      jsonLd('datePublished'),
      itemprop('datePublished'),
      meta('article:published'),
      meta('og:article:published_time'),
      meta('og:published_time'),
      jsonLd('uploadDate'),
      jsonLd('dateCreated'),
      itemprop('dateCreated'),
      meta('dc.date.issued'),
      meta('dcterms.issued'),
      meta('dcterms.available'),
      meta('dc.date.created'),
      meta('dcterms.created'),
      meta('dc.date'),
      meta('dcterms.date'),
      meta('parsely-pub-date'),
      meta('sailthru.date'),
      meta('citation_publication_date'),
      meta('citation_online_date'),
      meta('citation_date'),
      meta('publication_date'),
      meta('publish_date'),
      meta('publish-date'),
      meta('pubdate'),
      meta('date'),
      metaValue('article:published_time'),
    ],
  },
  {
    path: 'meta.modified_time',
    accept: line,
    sources: [
      meta('article:modified_time'),
      meta('og:updated_time'),
      jsonLd('dateModified'),
      itemprop('dateModified'),
      meta('article:modified'),
      meta('og:article:modified_time'),
      meta('og:modified_time'),
      meta('dc.date.modified'),
      meta('dcterms.modified'),
      meta('last-modified'),
      meta('lastmod'),
      metaValue('article:modified_time'),
    ],
  },
]

/** What one field came to. */
export interface Found {
  path: FieldPath
  value: string
  source: string
}

/** Every field that the page has, in the order of the specification. */
export function readFields(page: Page): Found[] {
  const found: Found[] = []
  for (const { path, accept, sources } of FIELDS) {
    const accepts = accept(page)
    for (const { label, find } of sources) {
      const value = find(page, accepts)
      if (value === undefined) continue
      found.push({ path, value, source: label })
      break
    }
  }
  return found
}
