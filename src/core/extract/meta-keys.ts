import { NameTable } from './name-table.ts'
import type { Range } from './range.ts'

/** What `property` or `name` of a meta element may say for it to be of use. */
export const META_KEYS = new NameTable([
  // https://ogp.me
  'og:title',
  'og:description',
  'og:image',
  'og:image:url',
  'og:image:secure_url',
  'og:url',
  'og:site_name',
  'og:type',
  'og:locale',
  'og:updated_time',
  'article:author',
  'article:author:name',
  'article:published_time',
  'article:published',
  'article:modified_time',
  'article:modified',
  'og:author',
  'og:published_time',
  'og:modified_time',
  'og:article:author',
  'og:article:published_time',
  'og:article:modified_time',
  'book:author',
  // https://developer.x.com/en/docs/x-for-websites/cards/overview/markup
  'twitter:card',
  'twitter:site',
  'twitter:creator',
  'twitter:title',
  'twitter:description',
  'twitter:image',
  'twitter:image:src',
  // https://html.spec.whatwg.org/multipage/semantics.html#standard-metadata-names and common beside them
  'title',
  'description',
  'author',
  'application-name',
  'byl',
  'date',
  'pubdate',
  'publish-date',
  'publish_date',
  'publication_date',
  'last-modified',
  'lastmod',
  'thumbnail',
  // https://www.dublincore.org/specifications/dublin-core/dcq-html/
  'dc.title',
  'dcterms.title',
  'dc.description',
  'dcterms.description',
  'dcterms.abstract',
  'dc.creator',
  'dcterms.creator',
  'dc.date',
  'dc.date.created',
  'dc.date.issued',
  'dc.date.modified',
  'dcterms.date',
  'dcterms.created',
  'dcterms.issued',
  'dcterms.available',
  'dcterms.modified',
  // https://docs.parse.ly/metadata-meta-tags/
  'parsely-title',
  'parsely-author',
  'parsely-pub-date',
  'parsely-image-url',
  // https://getstarted.meetmarigold.com/sailthru/ (horizon meta tags)
  'sailthru.title',
  'sailthru.description',
  'sailthru.author',
  'sailthru.date',
  'sailthru.image.full',
  'sailthru.image.thumb',
  // https://scholar.google.com/intl/en/scholar/inclusion.html#indexing
  'citation_title',
  'citation_author',
  'citation_abstract',
  'citation_publication_date',
  'citation_online_date',
  'citation_date',
])

export type MetaKey = (typeof META_KEYS)['names'][number]

/** Dublin Core with a colon, as its XML names are written: `dc:title` means `dc.title`. */
const COLON_KEYS = new Map(
  META_KEYS.names.filter((key) => /^dc(?:terms)?\./.test(key)).map((key) => [key.replace('.', ':'), key]),
)
const COLON_NAMES = new NameTable([...COLON_KEYS.keys()])

/** The key that a `property` or `name` spells. */
export function metaKeyOf(bytes: Uint8Array, name: Range): MetaKey | undefined {
  const key = META_KEYS.findWritten(bytes, name)
  return key ?? COLON_KEYS.get(COLON_NAMES.find(bytes, name.start, name.end) ?? '')
}

/** What `itemprop` of a meta, link or time element may say: https://schema.org, as microdata. */
export const ITEMPROPS = new NameTable([
  'headline',
  'description',
  'image',
  'thumbnailUrl',
  'author',
  'datePublished',
  'dateCreated',
  'dateModified',
])

export type Itemprop = (typeof ITEMPROPS)['names'][number]

/** Link relations of use: https://html.spec.whatwg.org/multipage/links.html#linkTypes and common beside them. */
export const LINK_RELATIONS = new NameTable([
  'canonical',
  'icon',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'image_src',
  'author',
])

export type LinkRelation = (typeof LINK_RELATIONS)['names'][number]
