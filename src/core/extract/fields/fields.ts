import { AUTHOR_SOURCES } from '../author/author-sources.ts'
import {
  address,
  description,
  type Field,
  iconAddress,
  image,
  line,
  locale,
  personName,
  siteName,
  siteOrFiller,
  siteOrHandle,
  title,
} from '../sources/field.ts'
import { unfilledTitle } from '../reading/placeholder.ts'
import { time, yearAlone } from '../date/metadata-time.ts'
import { MODIFIED_SOURCES, PUBLISHED_SOURCES } from '../date/published-sources.ts'
import { cardType, handle } from '../sources/card.ts'
import { siteNameInTitle } from '../sources/site-name.ts'
import {
  canonicalHeader,
  contentLanguage,
  cutDescription,
  htmlLang,
  icon,
  itemprop,
  jsonLd,
  jsonLdImage,
  jsonLdPublisher,
  jsonLdWebSite,
  link,
  meta,
  metas,
  ownAddress,
  secureImage,
  titleElement,
} from '../sources/sources.ts'

/**
 * Every field that is extracted from a page, in the order of the response. All else derives from this table: the elements
 * that are kept (source-names.ts), extraction, the `Metadata` type, the response and the landing page. The OpenAPI
 * document and /docs describe the fields by src/http/api/schemas.yaml. New fields belong in `extra.ts`, so that
 * responses of existing clients stay the same.
 */
export const FIELDS = [
  { path: 'canonical_url', kind: address, sources: [link('canonical'), canonicalHeader, ownAddress] },
  {
    path: 'title',
    kind: title,
    fallbackFor: unfilledTitle,
    sources: [
      meta('og:title'),
      titleElement,
      meta('twitter:title'),
      jsonLd('headline'),
      jsonLd('name'),
      itemprop('headline'),
      ...metas('dc.title dcterms.title parsely-title sailthru.title citation_title title'),
    ],
  },
  {
    path: 'description',
    kind: description,
    fallbackFor: siteOrFiller,
    sources: [
      ...metas('og:description description twitter:description'),
      jsonLd('description'),
      itemprop('description'),
      ...metas('dc.description dcterms.description dcterms.abstract sailthru.description citation_abstract'),
      cutDescription,
    ],
  },
  {
    path: 'image',
    kind: image,
    sources: [
      secureImage,
      ...metas('og:image og:image:url og:image:secure_url twitter:image twitter:image:src twitter:image:url'),
      jsonLdImage,
      link('image_src'),
      itemprop('image'),
      itemprop('thumbnailUrl'),
      ...metas('parsely-image-url sailthru.image.full sailthru.image.thumb thumbnail'),
    ],
  },
  {
    path: 'favicon',
    kind: iconAddress,
    sources: [icon('icon'), icon('apple-touch-icon', 'apple-touch-icon-precomposed')],
  },
  {
    path: 'site_name',
    kind: siteName,
    sources: [
      meta('og:site_name'),
      meta('application-name'),
      jsonLdPublisher,
      jsonLdWebSite,
      meta('al:ios:app_name'),
      siteNameInTitle,
    ],
  },
  { path: 'type', kind: line, sources: [meta('og:type')] },
  { path: 'locale', kind: locale, sources: [meta('og:locale'), htmlLang, contentLanguage, jsonLd('inLanguage')] },
  { path: 'twitter_card.card', kind: cardType, sources: [meta('twitter:card')] },
  { path: 'twitter_card.site', kind: handle, sources: [meta('twitter:site')] },
  { path: 'twitter_card.creator', kind: handle, sources: [meta('twitter:creator')] },
  { path: 'meta.author', kind: personName, fallbackFor: siteOrHandle, needsWords: true, sources: AUTHOR_SOURCES },
  { path: 'meta.published_time', kind: time, fallbackFor: yearAlone, sources: PUBLISHED_SOURCES },
  { path: 'meta.modified_time', kind: time, sources: MODIFIED_SOURCES },
] as const satisfies readonly Field[]

/** `title`, `meta.author`, … */
export type FieldPath = (typeof FIELDS)[number]['path']
