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
 * that are kept (source-names.ts), extraction, the `Metadata` type, the response, the OpenAPI document, /docs and the
 * landing page. New fields belong in `extra.ts`, so that responses of
 * existing clients stay the same.
 */
export const FIELDS = [
  {
    path: 'canonical_url',
    description: 'The canonical URL, if the page names one.',
    example: 'https://example.com/article',
    kind: address,
    sources: [link('canonical'), canonicalHeader, ownAddress],
  },
  {
    path: 'title',
    description: 'From `og:title`, or else the title of the page.',
    example: 'An article',
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
    description: 'From `og:description`, or else the meta description.',
    example: 'A short summary of the article.',
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
    description: 'The main image, from `og:image` first.',
    example: 'https://example.com/cover.png',
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
    description: 'The icon of the page, or else `/favicon.ico` of its site if that exists.',
    example: 'https://example.com/favicon.ico',
    kind: iconAddress,
    sources: [icon('icon'), icon('apple-touch-icon', 'apple-touch-icon-precomposed')],
  },
  {
    path: 'site_name',
    description: 'From `og:site_name`, or else the name of the application, the publisher or the domain.',
    example: 'Example',
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
  {
    path: 'type',
    description: 'From `og:type`.',
    example: 'article',
    kind: line,
    sources: [meta('og:type')],
  },
  {
    path: 'locale',
    description: 'From `og:locale`, or else the language of the page.',
    example: 'en_US',
    kind: locale,
    sources: [meta('og:locale'), htmlLang, contentLanguage, jsonLd('inLanguage')],
  },
  {
    path: 'twitter_card.card',
    description: 'Card type.',
    example: 'summary_large_image',
    kind: cardType,
    sources: [meta('twitter:card')],
  },
  {
    path: 'twitter_card.site',
    description: "The publisher's handle.",
    example: '@example',
    kind: handle,
    sources: [meta('twitter:site')],
  },
  {
    path: 'twitter_card.creator',
    description: "The author's handle.",
    example: '@jo',
    kind: handle,
    sources: [meta('twitter:creator')],
  },
  {
    path: 'meta.author',
    description: 'The author; several authors are separated by commas.',
    example: 'Jo Doe',
    kind: personName,
    fallbackFor: siteOrHandle,
    needsWords: true,
    sources: AUTHOR_SOURCES,
  },
  {
    path: 'meta.published_time',
    description: 'As written on the page.',
    example: '2026-11-01T08:00:00Z',
    kind: time,
    fallbackFor: yearAlone,
    sources: PUBLISHED_SOURCES,
  },
  {
    path: 'meta.modified_time',
    description: 'As written on the page.',
    example: '2026-11-02T09:30:00Z',
    kind: time,
    sources: MODIFIED_SOURCES,
  },
] as const satisfies readonly Field[]

/** `title`, `meta.author`, … */
export type FieldPath = (typeof FIELDS)[number]['path']

/** `meta` of `meta.author`. */
export type GroupName = Extract<FieldPath, `${string}.${string}`> extends `${infer Name}.${string}` ? Name : never

/** The nested objects of the response, each omitted when none of its fields is known. */
export const GROUPS: Readonly<Record<GroupName, { schemaName: string; description: string }>> = {
  twitter_card: { schemaName: 'TwitterCard', description: 'Omitted when the page has no Twitter card tags.' },
  meta: { schemaName: 'MetaDetails', description: 'Omitted when none of its fields is known.' },
}
