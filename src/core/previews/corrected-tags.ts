import type { PageTag } from '../page-tags.ts'
import { imageUrlOf } from './card.ts'
import { type CheckFacts, valueOf } from './checks/check.ts'
import { type BlockTag, htmlOf } from './tag-block.ts'

/** Tags that are kept unchanged. */
const KEPT =
  /^(?:twitter:(?:site|creator|label\d|data\d)|article:.+|fb:.+|theme-color|og:locale|og:image:alt|og:video.*)$/

/**
 * The tags that a page should have, derived from its current ones: one value of each, including those that scripts add,
 * with absolute URLs and the actual size of the image. Comments stand for values that only the author can supply.
 */
export function correctedTags({ tags, images, url }: CheckFacts): string {
  const all = [...tags.plain.tags, ...(tags.rendered?.tags ?? [])]
  const title = valueOf(all, 'og:title', '<title>', 'twitter:title')
  const description = valueOf(all, 'og:description', 'description', 'twitter:description')
  const address = (URL.parse(valueOf(all, 'link canonical', 'og:url') || url, tags.plain.baseUrl) ?? new URL(url)).href
  const lines = [
    meta('<title>', valueOf(all, '<title>') || title, 'the title of the page'),
    meta('description', valueOf(all, 'description') || description, 'one or two sentences, up to 160 characters'),
    htmlOf({ element: 'link', name: 'canonical', value: address }),
    meta('og:type', valueOf(all, 'og:type') || 'website', ''),
    meta('og:site_name', valueOf(all, 'og:site_name'), 'the name of the site'),
    meta('og:title', title, 'the title without the name of the site, up to 70 characters'),
    meta('og:description', description, 'up to 200 characters, the important words first'),
    meta('og:url', address, ''),
    ...imageLines(all, images, tags.plain.baseUrl),
    ...all.filter((tag, index) => isKept(tag) && all.findIndex(({ name }) => name === tag.name) === index).map(htmlOf),
  ]
  return lines.join('\n')
}

function isKept({ element, name, value }: PageTag): boolean {
  return element === 'meta' && value !== '' && KEPT.test(name)
}

function imageLines(tags: readonly PageTag[], images: CheckFacts['images'], baseUrl: string): string[] {
  const tag = ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src']
    .map((name) => tags.find((candidate) => candidate.name === name && candidate.value !== ''))
    .find((candidate) => candidate !== undefined)
  const url = tag ? imageUrlOf(tag, baseUrl) : null
  const facts = images.find((image) => image.url === url)
  if (url === null || (facts !== undefined && facts.problem !== '')) {
    return [meta('og:image', '', 'an image of 1200 × 630, up to 600 KB'), card('summary_large_image')]
  }
  const { size = null } = facts ?? {}
  const isLarge = size === null || (size.width >= 300 && size.height >= 157)
  return [
    meta('og:image', url, ''),
    ...(size === null
      ? []
      : [meta('og:image:width', String(size.width), ''), meta('og:image:height', String(size.height), '')]),
    card(valueOf(tags, 'twitter:card') || (isLarge ? 'summary_large_image' : 'summary')),
  ]
}

const card = (type: string) => meta('twitter:card', type, '')

/** A tag, or a comment that says what is missing. */
function meta(name: string, value: string, missing: string): string {
  const tag: BlockTag = name === '<title>' ? { element: 'title', name, value } : { element: 'meta', name, value }
  return value === '' ? `<!-- ${name}: ${missing} -->` : htmlOf(tag)
}
