import { keyOf, type PageTag } from '../tags/page-tags.ts'
import { ANY_IMAGE, MB, app, OPEN_GRAPH_FIRST, type Placement, type Platform } from './platform.ts'

/** If a page has none of these tags, Discord uses the title and description of HTML. */
const TEXTS = ['og:title', 'og:description', 'twitter:title', 'twitter:description']
const VIDEOS = ['og:video', 'og:video:url', 'og:video:secure_url', 'twitter:player:stream']
const VIDEO_TYPES = ['og:video:type', 'twitter:player:stream:content_type']

/** The types of images and videos that Discord shows. */
const IMAGE_TYPES = ['image/png', 'image/gif', 'image/jpeg', 'image/webp', 'image/avif']
const VIDEO_TYPE = /^video\/(?:mp4|webm|quicktime)$/i
const VIDEO_FILE = /^https:[^?#]*\.(?:mp4|webm|mov)(?:[?#]|$)/i

const MAX_SITE_NAME = 256
const MAX_URL = 2_048

/** Values beyond these lengths, in characters, prevent the preview. */
const MAX_LENGTHS: readonly { names: readonly string[]; max: number }[] = [
  { names: ['og:site_name'], max: MAX_SITE_NAME },
  { names: ['og:image:alt', 'twitter:image:alt'], max: 4_096 },
  { names: [...OPEN_GRAPH_FIRST.image, ...VIDEOS, 'og:url', 'twitter:url', 'link oembed'], max: MAX_URL },
]

/** The values of tags and oEmbed types that choose a layout. */
const LAYOUTS: readonly [layout: 'video' | 'photo' | 'large' | 'rich', chosenBy: RegExp][] = [
  ['video', /^(?:og:type video(?:\..*)?|twitter:card player|oembed video)$/i],
  ['photo', /^(?:og:type instapp:photo|twitter:card photo|oembed photo)$/i],
  ['large', /^twitter:card summary_large_image$/i],
  ['rich', /^(?:og:type|oembed) rich$/i],
]
const BESIDE: Placement = { layout: 'right', crop: 'whole' }
const BELOW: Placement = { layout: 'below', crop: 'whole' }

export const DISCORD: Platform = {
  ...app('discord', 'Discord'),
  title: ['og:title', 'twitter:title', 'json-ld video name', '<title>'],
  description: ['og:description', 'twitter:description', 'json-ld video description', 'description'],
  image: [...OPEN_GRAPH_FIRST.image, 'json-ld video thumbnailUrl'],
  siteName: ['og:site_name'],
  date: ['og:pubdate', 'pubdate', 'iso-8601-publish-date', 'json-ld video uploadDate'],
  isInDocumentOrder: true,
  maxImages: 4,
  source: 'nothing',
  oembed: 'beside tags',
  lines: ['source', 'author', 'title', 'description'],
  maxLines: { title: 3, description: 20 },
  limits: { title: 70, description: 350, unit: 'bytes', siteName: MAX_SITE_NAME },
  imageLimits: { ...ANY_IMAGE, types: IMAGE_TYPES },
  usesTwitterCard: true,
  hasAccent: true,
  maxHtmlBytes: 50 * MB,
  maxRedirects: 5,
  needs: 'og:title, or <title> and description',
  tagsOf(tags) {
    const read = tags.filter(({ isLoose }) => isLoose !== true)
    const has = (name: string) => read.some((tag) => keyOf(tag) === name && tag.value !== '')
    const isPair = has('<title>') && has('description') && !TEXTS.some(has)
    return isPair ? read : read.filter((tag) => !['<title>', 'description'].includes(keyOf(tag)))
  },
  rejectionOf(tags, urls) {
    if (urls.some((url) => url.length > MAX_URL)) return `URL over ${MAX_URL} characters`
    for (const tag of tags) {
      const limit = MAX_LENGTHS.find(({ names }) => names.includes(keyOf(tag)))
      if (limit && (tag.length ?? tag.value.length) > limit.max) return `${keyOf(tag)}: over ${limit.max} characters`
    }
    return ''
  },
  imageProblemOf(tag, tags) {
    if (!/^(?:https?:)?\//i.test(tag.value)) return 'a relative URL must start with /'
    const type = declaredType(tag, tags)
    return type === '' || IMAGE_TYPES.includes(type) ? '' : `${type} is not supported`
  },
  place({ image, tags, oembedType }) {
    const choices = [`oembed ${oembedType}`, ...tags.map((tag) => `${keyOf(tag)} ${tag.value}`)]
    const layout = choices.map(layoutOf).findLast((chosen) => chosen !== undefined)
    if (layout === 'video' && image !== null && hasVideo(tags)) return { ...BELOW, isVideo: true }
    if (layout === 'photo' && image !== null) return { layout: 'alone', crop: 'whole' }
    const isGallery = tags.filter((tag) => keyOf(tag) === 'og:image' && tag.value !== '').length > 1
    return layout === 'large' || isGallery ? BELOW : BESIDE
  },
}

const layoutOf = (choice: string) => LAYOUTS.find(([, chosenBy]) => chosenBy.test(choice))?.[0]

/** The `og:image:type` between an image and the next one; '' for none. */
function declaredType(image: PageTag, tags: readonly PageTag[]): string {
  const isPlain = (tag: PageTag) => ['og:image', 'twitter:image'].includes(keyOf(tag))
  if (!isPlain(image)) return ''
  const next = tags.slice(tags.indexOf(image) + 1).find((tag) => isPlain(tag) || keyOf(tag) === 'og:image:type')
  return next === undefined || isPlain(next) ? '' : next.value.toLowerCase()
}

/** Whether the page has a video file of a type that Discord plays. */
function hasVideo(tags: readonly PageTag[]): boolean {
  const type = tags.find((tag) => VIDEO_TYPES.includes(keyOf(tag)))?.value
  const file = tags.find((tag) => VIDEOS.includes(keyOf(tag)))?.value ?? ''
  return file.startsWith('https:') && (type === undefined ? VIDEO_FILE.test(file) : VIDEO_TYPE.test(type))
}
