import { overText } from '../../core/byte-count.ts'
import { parseWebUrl } from '../../core/web-url.ts'
import { type ImageFacts, sizeText } from '../../core/fetch/image-facts.ts'
import type { OembedFacts } from './oembed-facts.ts'
import { firstTag, keyOf, type PageTag, type PageTags, tagsNamed } from '../tags/page-tags.ts'
import type { ImageLimits, Platform } from '../platforms/platform.ts'
import { isDisallowed, type RobotsFacts } from './robots.ts'

export interface CardInput {
  /** The URL that is shared, without its fragment. The URL may redirect to `url`. */
  requestedUrl: string
  /** The URL of the page, of which apps show the host. */
  url: string
  redirects: number
  page: PageTags
  /** The images that were requested. Other images are assumed to be available and of unknown size. */
  images: readonly ImageFacts[]
  /** The icon of the page; null when there is none. */
  favicon: string | null
  /** The oEmbed response that the page declares; null when it declares none or it was not requested. */
  oembed: OembedFacts | null
  /** The facts from the robots.txt of the page and of its images; empty when unknown. */
  robots: readonly RobotsFacts[]
}

/** A text and the name of its tag; see `keyOf`. */
interface Text {
  value: string
  key: string
}

interface WantedImage {
  key: string
  facts: ImageFacts
  /** Why the app does not show the image; '' if it does. */
  problem: string
}

/** The tag whose value an app uses. */
export function usedTag({ isInDocumentOrder }: Platform, tags: readonly PageTag[], names: readonly string[]) {
  if (!isInDocumentOrder) return firstTag(tags, names)
  return tags.find((tag) => tag.value !== '' && names.includes(keyOf(tag)))
}

/** The icon that an app shows instead of an image. */
export function touchIconOf(tags: readonly PageTag[]): PageTag | undefined {
  return firstTag(tags, ['link apple-touch-icon-precomposed', 'link apple-touch-icon'])
}

/** The texts and the image that an app takes from the tags and from the oEmbed response. */
export function contentOf(platform: Platform, input: CardInput) {
  const { page, oembed } = input
  const fromTag = (names: readonly string[]): Text | null => {
    const tag = usedTag(platform, page.tags, names)
    return tag === undefined ? null : { value: tag.value, key: keyOf(tag) }
  }
  const content = {
    title: fromTag(platform.title),
    author: fromTag(platform.author.tags),
    description: fromTag(platform.description),
    siteName: fromTag(platform.siteName),
    image: imageOf(platform, input),
  }
  if (oembed === null || oembed.problem !== '' || platform.oembed === 'ignored') return content
  const from = (name: 'title' | 'author' | 'provider'): Text | null =>
    oembed[name] === '' ? null : { value: oembed[name], key: `oembed ${name}` }
  if (platform.oembed === 'beside tags') {
    const { title, author, siteName, image } = content
    const { thumbnail } = oembed
    return {
      ...content,
      // The title of HTML is used only if there is no other title.
      title: title?.key === '<title>' ? (from('title') ?? title) : (title ?? from('title')),
      author: from('author') ?? author,
      siteName: from('provider') ?? siteName,
      image: image ?? (thumbnail ? wantedImage(platform, input, 'oembed thumbnail', thumbnail) : null),
    }
  }
  if (!['link', 'photo', 'video'].includes(oembed.type) || (oembed.type === 'photo' && oembed.image === null)) {
    return content
  }
  const image = oembed.image === null ? null : wantedImage(platform, input, 'oembed image', oembed.image)
  return { title: from('title'), author: from('author'), description: null, siteName: from('provider'), image }
}

/** The absolute http(s) URL in a tag; null if there is no tag, its value is not a URL, or its value was truncated. */
export function tagUrlOf(tag: PageTag | undefined, baseUrl: string): string | null {
  return tag === undefined || tag.isTruncated ? null : (parseWebUrl(tag.value, baseUrl)?.href ?? null)
}

/** The images of a gallery, without images that the app rejects; [] if the page has only one. */
export function galleryOf(platform: Platform, input: CardInput): ImageFacts[] {
  const { tags, baseUrl } = input.page
  const named = tagsNamed(tags, 'og:image')
  if (platform.maxImages === 1 || named.length === 1) return []
  const wanted = named.flatMap((tag) => {
    const url = platform.imageProblemOf(tag, tags) === '' ? tagUrlOf(tag, baseUrl) : null
    return url === null ? [] : [wantedImage(platform, input, keyOf(tag), url)]
  })
  return wanted.flatMap(({ problem, facts }) => (problem === '' ? [facts] : [])).slice(0, platform.maxImages)
}

/** The image that the app takes from the tags, with the reason if the app does not show it. */
function imageOf(platform: Platform, input: CardInput): WantedImage | null {
  const { tags, baseUrl } = input.page
  const tag = usedTag(platform, tags, platform.image)
  if (tag === undefined) return null
  const key = keyOf(tag)
  const url = tagUrlOf(tag, baseUrl)
  const problem = platform.imageProblemOf(tag, tags)
  if (problem !== '') return { key, facts: unknownImage(tag.value), problem }
  if (url !== null) return wantedImage(platform, input, key, url)
  return { key, facts: unknownImage(tag.value), problem: tag.isTruncated ? 'URL too long' : 'not an http(s) URL' }
}

function wantedImage(platform: Platform, { images, robots }: CardInput, key: string, url: string): WantedImage {
  const facts = images.find((image) => image.url === url) ?? unknownImage(url)
  if (isDisallowed(robots, url, platform.id)) return { key, facts, problem: `robots.txt disallows ${platform.crawler}` }
  return { key, facts, problem: facts.problem || limitProblem(facts, platform.imageLimits) }
}

const unknownImage = (url: string): ImageFacts => ({ url, problem: '', mimeType: '', bytes: null, size: null })

/** Why an app rejects an image; '' when it does not. */
export function limitProblem(facts: ImageFacts, { maxBytes, minWidth, minHeight, types }: ImageLimits): string {
  const { bytes, size, mimeType } = facts
  if (maxBytes !== null && bytes !== null && bytes > maxBytes) return overText(bytes, maxBytes)
  if (size !== null && (size.width < (minWidth ?? 0) || size.height < (minHeight ?? 0))) {
    return `${sizeText(size)}, under ${minWidth} × ${minHeight}`
  }
  if (mimeType === 'image/svg+xml') return 'SVG is not supported'
  if (types !== null && mimeType !== '' && !types.includes(mimeType)) return `${mimeType} is not supported`
  return ''
}
