import { parseWebUrl } from '../../core/web-url.ts'
import { collapseWhitespace, truncate } from '../../core/extract/reading/text.ts'
import { parseObject, stringAt, type OembedResponse } from '../../core/oembed/result.ts'

/** The parts of a page's oEmbed response that link previews use. */
export interface OembedFacts {
  /** The endpoint as declared, absolute. */
  url: string
  /** Why there is no usable response: `HTTP 404`; '' if there is one. */
  problem: string
  /** `link`, `photo`, `video`, `rich`, or another word. */
  type: string
  title: string
  author: string
  provider: string
  /** The URL of the photo, or else of the thumbnail, absolute; null for none. */
  image: string | null
  /** The URL of the thumbnail, absolute; null for none, or if its width or height is missing. Discord uses it. */
  thumbnail: string | null
}

/** Longer texts are truncated: no app shows as much. */
const MAX_TEXT_CHARACTERS = 300

/** Longer URLs of images are ignored. */
const MAX_IMAGE_URL_CHARACTERS = 2_048

/** Reads a response (https://oembed.com section 2.3). */
export function oembedFactsOf(url: string, response: OembedResponse): OembedFacts {
  const oembed = parseObject(new TextDecoder().decode(response.bytes))
  if (oembed === null) return unknownOembed(url, 'not a JSON object')
  const text = (name: string) => truncate(collapseWhitespace(stringAt(oembed, name)), MAX_TEXT_CHARACTERS)
  const type = text('type').toLowerCase()
  const isSized = ['thumbnail_width', 'thumbnail_height'].every((name) => Number(oembed[name]) > 0)
  // The specification requires a type, and so does Mastodon.
  if (type === '') return unknownOembed(url, 'no type')
  return {
    url,
    problem: '',
    type,
    title: text('title'),
    author: text('author_name'),
    provider: text('provider_name'),
    image: imageOf(stringAt(oembed, type === 'photo' ? 'url' : 'thumbnail_url'), response.url),
    thumbnail: isSized ? imageOf(stringAt(oembed, 'thumbnail_url'), response.url) : null,
  }
}

function imageOf(text: string, base: URL): string | null {
  const href = parseWebUrl(text, base.href)?.href
  return href !== undefined && href.length <= MAX_IMAGE_URL_CHARACTERS ? href : null
}

/** The facts of a response that cannot be used. */
export function unknownOembed(url: string, problem: string): OembedFacts {
  return { url, problem, type: '', title: '', author: '', provider: '', image: null, thumbnail: null }
}
