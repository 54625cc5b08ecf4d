import type { Sources } from '../../core/extract/extract.ts'
import type { PageResult } from '../../core/fetch/page-result.ts'
import { firstTag, type PageTag, type PageTags, type ResultTags, tagsNamed } from '../tags/page-tags.ts'
import { type CardInput, tagUrlOf, touchIconOf, usedTag } from './card-content.ts'
import { type Card, cardOf } from './card.ts'
import { PLATFORMS } from '../platforms/platforms.ts'

export type PreviewInput = Omit<CardInput, 'page'> & { tags: ResultTags }

/** The card of each app. Apps whose crawlers do not run scripts use the tags of the plain page. */
export function cardsOf({ tags, oembed, ...common }: PreviewInput): Card[] {
  return PLATFORMS.map((platform) => {
    const page = platform.runsScripts ? (tags.rendered ?? tags.plain) : tags.plain
    const declared = oembed !== null && oembedUrlOf(page) === oembed.url ? oembed : null
    return cardOf(platform, { ...common, page, oembed: declared })
  })
}

/** The oEmbed endpoint that a page declares, absolute; null for none. */
export function oembedUrlOf({ tags, baseUrl }: PageTags): string | null {
  return tagUrlOf(firstTag(tags, ['link oembed']), baseUrl)
}

/** The URLs of all images that a card may show. */
export function imageUrlsOf(input: Pick<PreviewInput, 'tags' | 'favicon' | 'oembed'>): string[] {
  const { favicon, oembed } = input
  const { plain, rendered } = input.tags
  const urls = [plain, ...(rendered ? [rendered] : [])].flatMap((page) => {
    const wanted = PLATFORMS.map((platform) => usedTag(platform, page.tags, platform.image))
    return [...wanted, touchIconOf(page.tags)].map((tag) => tagUrlOf(tag, page.baseUrl))
  })
  const gallery = tagsNamed(plain.tags, 'og:image').map((tag) => tagUrlOf(tag, plain.baseUrl))
  const all = [...urls, oembed?.image, oembed?.thumbnail, favicon, ...gallery]
  return [...new Set(all.filter((url) => typeof url === 'string'))]
}

/** The fields that cards show, and the tag to assume if the source of a value is not a tag. */
const FIELD_TAGS = [
  ['title', 'og:title'],
  ['description', 'og:description'],
  ['image', 'og:image'],
  ['site_name', 'og:site_name'],
  ['type', 'og:type'],
  ['canonical_url', 'link canonical'],
] as const

/**
 * Derives tags from the fields of a result whose tags were not listed. Tags whose values are not in the result are
 * missing.
 */
export function knownTags(result: PageResult, sources: Sources, url: string): PageTags {
  const tags = FIELD_TAGS.flatMap(([field, fallback]): PageTag[] => {
    const value = result[field]
    return value === undefined ? [] : [tagFrom(sources[field] ?? fallback, fallback, value)]
  })
  const card = result.twitter_card?.card
  if (card !== undefined) tags.push({ element: 'meta', name: 'twitter:card', value: card, offset: 0 })
  return { baseUrl: url, tags, isTruncated: false }
}

/** `meta description` → description; `title element` → <title>; other sources → the fallback. */
function tagFrom(source: string, fallback: string, value: string): PageTag {
  if (source === 'title element') return { element: 'title', name: 'title', value, offset: 0 }
  const name = source.replace(/^meta /, '')
  if (/^(?:og|twitter):/.test(name) || name === 'description') return { element: 'meta', name, value, offset: 0 }
  if (fallback.startsWith('link ')) return { element: 'link', name: fallback.slice('link '.length), value, offset: 0 }
  return { element: 'meta', name: fallback, value, offset: 0 }
}
