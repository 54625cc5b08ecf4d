import { firstTag, type PageTags, type ResultTags, tagsNamed } from '../tags/page-tags.ts'
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
