import {
  type ExtraSource,
  IMAGE_ALT_SOURCES,
  IMAGE_SIZE_SOURCES,
  metaContent,
  normalizeColor,
  type Player,
  PLAYER_SOURCES,
  type Size,
} from '../sources/extra-sources.ts'

/** The object `extra` of a response. Fields are absent rather than empty, and URLs are http(s). */
export interface Extra {
  final_url?: string
  image_size?: Size
  image_alt?: string
  theme_color?: string
  player?: Player
  pictures?: Pictures
}

/** URLs on this server, which proxies the images. */
export interface Pictures {
  image?: string
  favicon?: string
}

export type ExtraName = keyof Extra

const EXAMPLE_PICTURE = 'https://meta.example.com/v1/image?url=https%3A%2F%2Fexample.com%2Fcover.jpg&key=…&signature=…'

interface ExtraField<Value> {
  /** For the OpenAPI document and /docs, with code in backticks. */
  description: string
  /** For the OpenAPI document and /docs. An example of an object has all members. */
  example: Value
  /** For an object: the name of its schema, and the members that it always has. */
  object?: { schemaName: string; required: readonly (keyof Value & string)[] }
  /** In order of precedence; empty if the value does not come from the tags of the page. */
  sources: readonly ExtraSource<Value>[]
}

/**
 * Every field of `extra`, in the order of the response. Extraction, the parameter `fields`, the OpenAPI document and /docs
 * derive from this table. To add a field, add it here and to `Extra`, and its list in docs/extraction.md.
 */
export const EXTRA: { readonly [Name in ExtraName]-?: ExtraField<NonNullable<Extra[Name]>> } = {
  final_url: {
    description: 'The URL of the page after redirects, without a fragment that is not a route.',
    example: 'https://example.com/article',
    sources: [],
  },
  image_size: {
    description: 'The size of `image` in pixels, as the page states it. The image is not fetched.',
    example: { width: 1200, height: 630 },
    object: { schemaName: 'ImageSize', required: ['width', 'height'] },
    sources: IMAGE_SIZE_SOURCES,
  },
  image_alt: {
    description: 'A description of `image`.',
    example: 'A lighthouse at dusk',
    sources: IMAGE_ALT_SOURCES,
  },
  theme_color: {
    description: 'The color of the page, from `theme-color`, as written in CSS.',
    example: '#0f766e',
    sources: [metaContent('theme-color', normalizeColor)],
  },
  player: {
    description: 'The player of the video or sound of the page, to embed in a frame, or the video file.',
    example: { url: 'https://example.com/embed/1', width: 1280, height: 720 },
    object: { schemaName: 'Player', required: ['url'] },
    sources: PLAYER_SOURCES,
  },
  // Created for each response, because links are signed for the key of the request.
  pictures: {
    description:
      'Links to `image` and `favicon` by way of the service, over https and without a key, if the service proxies images. ' +
      'They work for at least seven days. Remove an image that fails.',
    example: { image: EXAMPLE_PICTURE, favicon: EXAMPLE_PICTURE },
    object: { schemaName: 'Pictures', required: [] },
    sources: [],
  },
}

/** In the order of the response. */
export const EXTRA_NAMES = Object.keys(EXTRA) as readonly ExtraName[]

export type FoundExtra = { [Name in ExtraName]?: { value: NonNullable<Extra[Name]>; source: string } }

/** Commands print no links to images, which need a server. */
export const PAGE_EXTRA_NAMES: readonly ExtraName[] = EXTRA_NAMES.filter((name) => name !== 'pictures')

/** The rule for a list of these names, for error messages. */
export const extraRule = (names: readonly ExtraName[]) => `a comma-separated list of ${names.join(', ')}`

/** Parses a list of `allowed` names. Repeated names are accepted; null for anything else. */
export function parseExtraNames(text: string, allowed: readonly ExtraName[]): readonly ExtraName[] | null {
  const names: readonly string[] = text.split(',')
  const found = allowed.filter((name) => names.includes(name))
  return new Set(names).size === found.length ? found : null
}

/** Fields without a value are omitted. */
export function extraOf(found: FoundExtra, names: readonly ExtraName[]): Extra {
  return Object.fromEntries(names.flatMap((name) => (found[name] ? [[name, found[name].value]] : [])))
}
