import { wordSet } from '../../word-set.ts'
import { NameLookup } from './name-lookup.ts'
import lists from './html-names.json'

const { tags } = lists

/**
 * Elements whose content is text up to their end tag, with scripting disabled.
 * https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead and #parsing-main-inbody
 */
export const RAW_TEXT_TAGS = wordSet(tags.rawText)

/** Start tags that end svg and math: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign */
export const BREAKOUT_TAGS = wordSet(tags.breakout)

/** Foreign elements whose content is HTML again (annotation-xml too, depending on its encoding). */
export const SVG_INTEGRATION_POINTS = wordSet(tags.svgIntegration)
export const MATH_INTEGRATION_POINTS = wordSet(tags.mathIntegration)

/** Elements without an end tag. */
export const VOID_TAGS = wordSet(tags.void)

/** Elements whose text is not part of the text around them. */
export const HIDDEN_TAGS = wordSet(tags.hidden)

/** Elements whose `datetime` is the time that their text shows, the custom ones by https://github.com/github/relative-time-element. */
export const TIME_TAGS = wordSet(tags.time)

/** Custom elements that frameworks render into. */
export const MOUNT_TAGS = wordSet(tags.mount)

/** Ids of elements that frameworks render into. */
export const MOUNT_IDS = new NameLookup(wordSet(lists.mountIds))

/** Script types that browsers run, and JSON-LD. */
export const SCRIPT_TYPES = new NameLookup(wordSet(lists.scriptTypes))

/**
 * Every element name that a rule uses. `markable` are the elements whose class or relation may mark an author or a
 * date, or a part of the page that is not its article.
 */
export const TAGS = new NameLookup(wordSet(Object.values(tags).join(' ')))

const META = ['property', 'name', 'http-equiv', 'charset', 'content'] as const
const MICRODATA = ['itemprop', 'itemscope', 'itemtype'] as const
const LINK = ['rel', 'href', 'src', 'sizes', 'type', 'media', 'title', 'lang'] as const
const TIME = ['datetime', 'pubdate'] as const
const NAMING = ['class', 'id', 'data-testid', 'data-component', 'data-qa', 'aria-label'] as const
const FOREIGN = ['encoding', 'color', 'face', 'size'] as const
const OEMBED_FRAME = ['width', 'height'] as const
const SCRIPT = ['onload'] as const
const BUTTON = ['value'] as const

/** Every attribute that a rule uses. At most 32, because the tokenizer stores one bit for each. */
const ATTRIBUTE_NAMES = [
  ...META,
  ...MICRODATA,
  ...LINK,
  ...TIME,
  ...NAMING,
  ...FOREIGN,
  ...OEMBED_FRAME,
  ...SCRIPT,
  ...BUTTON,
] as const

export type AttributeName = (typeof ATTRIBUTE_NAMES)[number]
export const ATTRIBUTES = new NameLookup(ATTRIBUTE_NAMES)

/** Index of each attribute in `ATTRIBUTE_NAMES`. */
export const SLOT = Object.fromEntries(ATTRIBUTE_NAMES.map((name, index) => [name, index])) as Record<
  AttributeName,
  number
>

/** The bits of attributes, to check whether a tag has one of them. */
export function attributeBits(...names: AttributeName[]): number {
  return names.reduce((bits, name) => bits | (1 << SLOT[name]), 0)
}
