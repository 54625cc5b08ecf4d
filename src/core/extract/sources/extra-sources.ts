import { firstOf } from '../../first-of.ts'
import { MAX_TITLE_LENGTH, type Normalize, normalizePlainText } from '../reading/normalize.ts'
import type { SourcePage, TagGroup, TagNames } from './sources.ts'

/** In CSS pixels. */
export interface Size {
  width: number
  height: number
}

/** The player of a video, to embed in a frame, or the video itself. */
export interface Player extends Partial<Size> {
  url: string
}

/** A place in a page where a value of `extra` may be. */
export interface ExtraSource<Value> {
  /** The name in `--explain` and docs/extraction.md. */
  label: string
  /** Meta elements of these names are kept while the page is read. */
  metaNames: readonly string[]
  /** @param image the image of the response */
  find(page: SourcePage, image: string | undefined): Value | undefined
}

/** Pages give sizes of up to some ten thousand pixels. */
const PIXELS = /^\s*([1-9]\d{0,4})(?:px)?\s*$/i

/** A number of pixels in a tag, an attribute or JSON; undefined for anything else, such as `100%`. */
function pixelsOf(value: unknown): number | undefined {
  const [, digits] = PIXELS.exec(String(value)) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** A width and a height, each absent if it is unknown. */
export function dimensionsOf(widthValue: unknown, heightValue: unknown): Partial<Size> {
  const width = pixelsOf(widthValue)
  const height = pixelsOf(heightValue)
  return { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
}

/** Undefined unless both the width and the height are known. */
export function sizeOf(widthValue: unknown, heightValue: unknown): Size | undefined {
  const { width, height } = dimensionsOf(widthValue, heightValue)
  return width === undefined || height === undefined ? undefined : { width, height }
}

export function metaContent(name: string, normalize: Normalize): ExtraSource<string> {
  return { label: `meta ${name}`, metaNames: [name], find: (page) => page.meta(name, normalize) }
}

/** @param urls suffixes of names, like `properties`; '' for the prefix alone */
function tagNames(prefix: string, urls: readonly string[], properties: readonly string[]): TagNames {
  const nameOf = (suffix: string) => (suffix === '' ? prefix : `${prefix}:${suffix}`)
  return { names: new Map([...urls, ...properties].map((suffix) => [suffix, nameOf(suffix)])), urls }
}

/** Properties of the image of the response, from the tags that name this image: a page may list several images. */
function imageTags<Value>(
  properties: readonly string[],
  read: (tags: TagGroup) => Value | undefined,
): ExtraSource<Value>[] {
  const all = [
    tagNames('og:image', ['', 'url', 'secure_url'], properties),
    tagNames('twitter:image', ['', 'src', 'url'], properties),
  ]
  return all.map((tags) => ({
    label: properties.map((property) => tags.names.get(property)!).join(' and '),
    metaNames: [...tags.names.values()],
    find(page, image) {
      return firstOf(image === undefined ? [] : page.tagGroups(tags), (group) => {
        const isAbout = tags.urls.some((suffix) => page.resolve(group.get(suffix) ?? '') === image)
        return isAbout ? read(group) : undefined
      })
    },
  }))
}

const normalizeAlt = normalizePlainText(MAX_TITLE_LENGTH)

export const IMAGE_SIZE_SOURCES = imageTags(['width', 'height'], (tags) =>
  sizeOf(tags.get('width'), tags.get('height')),
)
export const IMAGE_ALT_SOURCES = imageTags(['alt'], (tags) => normalizeAlt(tags.get('alt') ?? ''))

/** Browsers cannot play Flash any more. */
const FLASH = /flash/i

/** The first player or video that tags name. */
function playerTags(prefix: string, urls: readonly string[]): ExtraSource<Player> {
  const names = tagNames(prefix, urls, ['width', 'height', 'type'])
  return {
    label: prefix,
    metaNames: [...names.names.values()],
    find(page) {
      return firstOf(page.tagGroups(names), (tags) => {
        const url = firstOf(urls, (suffix) => page.resolve(tags.get(suffix) ?? ''))
        if (url === undefined || FLASH.test(tags.get('type') ?? '')) return undefined
        return { url, ...dimensionsOf(tags.get('width'), tags.get('height')) }
      })
    },
  }
}

export const PLAYER_SOURCES = [playerTags('og:video', ['secure_url', 'url', '']), playerTags('twitter:player', [''])]

/** Longer than any color in use. */
const MAX_COLOR_LENGTH = 60

/** `#fff`, `white`, `rgb(255, 255, 255)`; not a variable. */
const COLOR =
  /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|[a-z]{3,20}|(?:rgb|hsl)a?\([\s\d.,%/]+(?:deg[\s\d.,%/]+)?\))$/i

/** A CSS color as written; undefined for anything else. */
export function normalizeColor(text: string): string | undefined {
  const written = text.trim()
  return written.length <= MAX_COLOR_LENGTH && COLOR.test(written) ? written : undefined
}
