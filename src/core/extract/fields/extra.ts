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

/**
 * The sources of every field of `extra`, in order of precedence; the fields are in the order of the response.
 * Extraction and the parameter `fields` derive from this table. To add a field, add it here, to `Extra`, to
 * src/http/api/schemas.yaml, and its list to docs/extraction.md.
 */
export const EXTRA_SOURCES: { readonly [Name in ExtraName]-?: readonly ExtraSource<NonNullable<Extra[Name]>>[] } = {
  // Not from the tags of the page.
  final_url: [],
  image_size: IMAGE_SIZE_SOURCES,
  image_alt: IMAGE_ALT_SOURCES,
  theme_color: [metaContent('theme-color', normalizeColor)],
  player: PLAYER_SOURCES,
  // Created for each response, because links are signed for the key of the request.
  pictures: [],
}

/** In the order of the response. */
export const EXTRA_NAMES = Object.keys(EXTRA_SOURCES) as readonly ExtraName[]

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
