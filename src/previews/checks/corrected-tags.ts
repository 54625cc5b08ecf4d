import type { ImageFacts } from '../../core/fetch/image-facts.ts'
import { firstTag, type PageTag, tagsNamed } from '../tags/page-tags.ts'
import { wordSet } from '../../core/word-set.ts'
import { tagUrlOf } from '../rules/card-content.ts'
import { isAtLeast, OPEN_GRAPH_FIRST } from '../platforms/platform.ts'
import { oembedUrlOf } from '../rules/preview.ts'
import { CARD_TYPES, type CheckFacts, isDeclared, valueOf } from './check.ts'
import { type BlockTag, htmlOf } from '../tags/tag-block.ts'

/** Tags that are kept unchanged, the first value of each tag. */
const KEPT = /^(?:twitter:.+|article:.+|book:.+|profile:.+|product:.+|fb:.+|og:locale|og:determiner|og:image:alt)$/
const KEPT_NAMES: ReadonlySet<string> = new Set(['author', 'robots', 'googlebot', 'theme-color', 'pubdate'])

/** Tags that may occur several times. */
const LISTS = /^(?:(?:article|book|video):(?:tag|author)|og:locale:alternate|og:video.*|og:audio.*|fb:admins)$/

/** Tags that are generated separately, or that repeat an Open Graph tag. */
const REPLACED = wordSet(
  'twitter:card twitter:title twitter:description twitter:image twitter:image:src twitter:url twitter:domain',
)

/**
 * The tags that a page should have, derived from its current ones: one value of each, including tags that scripts add,
 * with absolute URLs and the actual size of the image. Comments stand for values that only the author can supply.
 */
export function correctedTags(facts: CheckFacts): string {
  const { tags, url } = facts
  const all = [...tags.plain.tags, ...(tags.rendered?.tags ?? [])]
  const title = valueOf(all, 'og:title', '<title>', 'twitter:title')
  const description = valueOf(all, 'og:description', 'description', 'twitter:description')
  const addressOf = (name: string) => tagUrlOf(firstTag(all, [name]), tags.plain.baseUrl)
  const address = addressOf('link canonical') ?? addressOf('og:url') ?? new URL(url).href
  const lines = [
    ...charsetLines(facts),
    meta('<title>', valueOf(all, '<title>') || title, 'the title of the page'),
    meta('description', valueOf(all, 'description') || description, 'one or two sentences, up to 160 characters'),
    htmlOf({ element: 'link', name: 'canonical', value: address }),
    meta('og:type', valueOf(all, 'og:type') || 'website'),
    meta('og:site_name', valueOf(all, 'og:site_name'), 'the name of the site'),
    meta('og:title', title, 'the title without the name of the site, up to 70 characters'),
    meta('og:description', description, 'up to 200 characters, the important words first'),
    meta('og:url', address),
    ...imageLines(all, facts),
    ...oembedLines(facts),
    ...override(all, 'twitter:title', title),
    ...override(all, 'twitter:description', description),
    ...keptTags(tags.plain.tags, tags.rendered?.tags ?? []).map(htmlOf),
  ]
  return lines.join('\n')
}

/** Declares the encoding if the page does not declare it, or declares it too late. */
function charsetLines({ charset }: CheckFacts): string[] {
  return charset === null || isDeclared(charset) || charset.encoding !== 'utf-8' ? [] : ['<meta charset="utf-8">']
}

/** The tags of the page as sent, and tags with other names that scripts add. */
function keptTags(plain: readonly PageTag[], rendered: readonly PageTag[]): PageTag[] {
  const names = new Set(plain.map(({ name }) => name))
  const tags = [...plain, ...rendered.filter(({ name }) => !names.has(name))].filter(isKept)
  return tags.filter(({ name, value }, index) => {
    const isList = LISTS.test(name)
    return tags.findIndex((tag) => tag.name === name && (!isList || tag.value === value)) === index
  })
}

function isKept({ element, name, value }: PageTag): boolean {
  if (element !== 'meta' || value === '' || REPLACED.has(name)) return false
  return KEPT.test(name) || KEPT_NAMES.has(name) || LISTS.test(name)
}

/** The link to the oEmbed endpoint; none if the endpoint does not work. */
function oembedLines({ tags: { plain }, oembed }: CheckFacts): string[] {
  const value = oembedUrlOf(plain)
  const isBroken = value === null || (oembed !== null && oembed.problem !== '')
  return isBroken ? [] : [htmlOf({ element: 'link', name: 'oembed', value })]
}

/** A Twitter Card tag, which X prefers to the Open Graph tag; it is kept only if its value differs. */
function override(tags: readonly PageTag[], name: string, openGraph: string): string[] {
  const value = valueOf(tags, name)
  return value === '' || value === openGraph ? [] : [meta(name, value)]
}

function imageLines(tags: readonly PageTag[], { tags: { plain }, images }: CheckFacts): string[] {
  const imageOf = (names: readonly string[]) => {
    const url = tagUrlOf(firstTag(tags, names), plain.baseUrl)
    const facts = images.find((image) => image.url === url)
    return url === null || (facts !== undefined && facts.problem !== '') ? null : { url, facts }
  }
  const image = imageOf(OPEN_GRAPH_FIRST.image)
  const twitterImage = imageOf(['twitter:image', 'twitter:image:src'])
  return [
    meta('og:image', image?.url ?? '', 'an image of 1200 × 630, up to 600 KB'),
    ...sizeLines(image?.facts),
    ...tagsNamed(plain.tags, 'og:image')
      .flatMap((tag) => tagUrlOf(tag, plain.baseUrl) ?? [])
      .filter((url) => url !== image?.url)
      .map((url) => meta('og:image', url)),
    ...(image === null || valueOf(tags, 'og:image:alt') !== ''
      ? []
      : [meta('og:image:alt', '', 'what the image shows')]),
    meta('twitter:card', cardType(tags, image?.facts)),
    ...(twitterImage === null || twitterImage.url === image?.url ? [] : [meta('twitter:image', twitterImage.url)]),
  ]
}

function sizeLines(facts: ImageFacts | undefined): string[] {
  if (!facts?.size) return []
  const { width, height } = facts.size
  return [meta('og:image:width', String(width)), meta('og:image:height', String(height))]
}

/** The `twitter:card` of the page if it is valid, or else the type that suits the image. */
function cardType(tags: readonly PageTag[], facts: ImageFacts | undefined): string {
  const type = valueOf(tags, 'twitter:card').toLowerCase()
  if (CARD_TYPES.includes(type)) return type
  return facts === undefined || isAtLeast(facts, 300, 157) ? 'summary_large_image' : 'summary'
}

/** A tag, or a comment that says what is missing. */
function meta(name: string, value: string, missing = ''): string {
  const tag: BlockTag = name === '<title>' ? { element: 'title', name, value } : { element: 'meta', name, value }
  return value === '' ? `<!-- ${name}: ${missing} -->` : htmlOf(tag)
}
