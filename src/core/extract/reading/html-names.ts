import { wordSet } from '../../word-set.ts'
import { NameLookup } from './name-lookup.ts'

/**
 * Elements whose content is text up to their end tag, with scripting disabled.
 * https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead and #parsing-main-inbody
 */
export const RAW_TEXT_TAGS = wordSet('title textarea script style xmp iframe noembed noframes plaintext')

/** Start tags that end svg and math: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign */
export const BREAKOUT_TAGS = wordSet(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
)

/** Foreign elements whose content is HTML again (annotation-xml too, depending on its encoding). */
export const SVG_INTEGRATION_POINTS: ReadonlySet<string> = new Set(['foreignobject', 'desc', 'title'])
export const MATH_INTEGRATION_POINTS: ReadonlySet<string> = new Set(['mi', 'mo', 'mn', 'ms', 'mtext'])

/** Elements without an end tag. */
export const VOID_TAGS = wordSet('area base br col embed hr img input link meta source track wbr')

/** Elements whose text is not part of the text around them. */
export const HIDDEN_TAGS = wordSet('button figcaption math nav noscript option select svg template')

/** Elements whose `datetime` is the time that their text shows, the custom ones by https://github.com/github/relative-time-element. */
export const TIME_TAGS = wordSet('time relative-time time-ago local-time')

/** Custom elements that frameworks render into. */
export const MOUNT_TAGS: ReadonlySet<string> = new Set(['app-root', 'my-app', 'ion-app'])

/** Ids of elements that frameworks render into. */
export const MOUNT_IDS = new NameLookup(
  wordSet('root app __next __nuxt ___gatsby react-root app-root app-mount main-app svelte ember-app q-app'),
)

/** Elements whose class or relation may mark an author or a date, or a part of the page that is not its article. */
const MARKABLE_TAGS = wordSet(
  'a abbr address article aside b cite dd div dl em footer form h1 h2 h3 h4 h5 h6 header i li main nav ol p section ' +
    'small span strong table td time ul',
)

/** Script types that browsers run, and JSON-LD. */
export const SCRIPT_TYPES = new NameLookup(
  wordSet(
    'application/ld+json module text/javascript application/javascript application/x-javascript text/ecmascript ' +
      'application/ecmascript',
  ),
)

/** Every element name that a rule uses. */
export const TAGS = new NameLookup([
  ...wordSet('html head body base meta link object template noscript svg math annotation-xml font'),
  ...MARKABLE_TAGS,
  ...VOID_TAGS,
  ...HIDDEN_TAGS,
  ...RAW_TEXT_TAGS,
  ...BREAKOUT_TAGS,
  ...SVG_INTEGRATION_POINTS,
  ...MATH_INTEGRATION_POINTS,
  ...MOUNT_TAGS,
  ...TIME_TAGS,
])

const META = ['property', 'name', 'http-equiv', 'charset', 'content'] as const
const MICRODATA = ['itemprop', 'itemscope', 'itemtype'] as const
const LINK = ['rel', 'href', 'src', 'sizes', 'type', 'media', 'title', 'lang'] as const
const TIME = ['datetime', 'pubdate'] as const
const NAMING = ['class', 'id', 'data-testid', 'data-component', 'data-qa', 'aria-label'] as const
const FOREIGN = ['encoding', 'color', 'face', 'size'] as const
const OEMBED_FRAME = ['width', 'height'] as const
const SCRIPT = ['onload'] as const

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
