import { AUTHOR_SOURCES } from '../author/author-sources.ts'
import {
  address,
  description,
  type Field,
  image,
  line,
  personName,
  siteOrFiller,
  siteOrHandle,
  time,
  title,
} from '../sources/field.ts'
import { PUBLISHED_SOURCES } from '../date/published-sources.ts'
import { siteNameInTitle } from '../sources/site-name.ts'
import {
  htmlLang,
  icon,
  itemprop,
  jsonLd,
  jsonLdImage,
  jsonLdPublisher,
  jsonLdTime,
  jsonLdWebSite,
  link,
  meta,
  metas,
  titleElement,
} from '../sources/sources.ts'

/**
 * Every field that is extracted from a page, in the order of the response. All else derives from this table: the elements
 * that are kept (source-names.ts), extraction, the `Metadata` type, the response, the OpenAPI document, /docs and the
 * landing page. To add a field, add an entry here, a page under test/fixtures/pages and its list in docs/extraction.md.
 */
export const FIELDS = [
  {
    path: 'canonical_url',
    description: 'The canonical URL, if the page names one.',
    example: 'https://example.com/article',
    kind: address,
    sources: [link('canonical'), meta('og:url')],
  },
  {
    path: 'title',
    description: 'From `og:title`, or else the title of the page.',
    example: 'An article',
    kind: title,
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
    isFallback: siteOrFiller,
    sources: [
      ...metas('og:description description twitter:description'),
      jsonLd('description'),
      itemprop('description'),
      ...metas('dc.description dcterms.description dcterms.abstract sailthru.description citation_abstract'),
    ],
  },
  {
    path: 'image',
    description: 'The main image, from `og:image` first.',
    example: 'https://example.com/cover.png',
    kind: image,
    sources: [
      ...metas('og:image og:image:url og:image:secure_url twitter:image twitter:image:src'),
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
    kind: address,
    sources: [icon('icon'), icon('apple-touch-icon', 'apple-touch-icon-precomposed')],
  },
  {
    path: 'site_name',
    description: 'From `og:site_name`, or else the name of the application, the publisher or the domain.',
    example: 'Example',
    kind: line,
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
    kind: line,
    sources: [meta('og:locale'), htmlLang],
  },
  {
    path: 'twitter_card.card',
    description: 'Card type.',
    example: 'summary_large_image',
    kind: line,
    sources: [meta('twitter:card')],
  },
  {
    path: 'twitter_card.site',
    description: "The publisher's handle.",
    example: '@example',
    kind: line,
    sources: [meta('twitter:site')],
  },
  {
    path: 'twitter_card.creator',
    description: "The author's handle.",
    example: '@jo',
    kind: line,
    sources: [meta('twitter:creator')],
  },
  {
    path: 'meta.author',
    description: 'The author; several authors are separated by commas.',
    example: 'Jo Doe',
    kind: personName,
    isFallback: siteOrHandle,
    sources: AUTHOR_SOURCES,
  },
  {
    path: 'meta.published_time',
    description: 'As written on the page.',
    example: '2026-11-01T08:00:00Z',
    kind: time,
    sources: PUBLISHED_SOURCES,
  },
  {
    path: 'meta.modified_time',
    description: 'As written on the page.',
    example: '2026-11-02T09:30:00Z',
    kind: time,
    sources: [
      meta('article:modified_time'),
      meta('og:updated_time'),
      jsonLdTime('dateModified'),
      itemprop('dateModified'),
      ...metas(
        'article:modified og:article:modified_time og:modified_time dc.date.modified dcterms.modified last-modified lastmod dateModified',
      ),
    ],
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
