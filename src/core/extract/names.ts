import { NameTable } from './name-table.ts'

/**
 * Elements whose content is text up to their own end tag, with scripting disabled.
 * https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead and #parsing-main-inbody
 */
export const RAW_TEXT_TAGS: ReadonlySet<string> = new Set(
  'title textarea script style xmp iframe noembed noframes plaintext'.split(' '),
)

/** HTML start tags that end svg and math: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign */
export const BREAKOUT_TAGS: ReadonlySet<string> = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
)

/** Foreign elements inside which HTML rules hold again (annotation-xml only with a fitting encoding). */
export const SVG_INTEGRATION_POINTS: ReadonlySet<string> = new Set(['foreignobject', 'desc', 'title'])
export const MATH_INTEGRATION_POINTS: ReadonlySet<string> = new Set(['mi', 'mo', 'mn', 'ms', 'mtext'])

/** Elements that frameworks fill by script and that carry no id. */
export const MOUNT_TAGS: ReadonlySet<string> = new Set(['app-root', 'my-app', 'ion-app'])

/** Ids of elements that frameworks fill by script. */
export const MOUNT_IDS = new NameTable([
  'root',
  'app',
  '__next',
  '__nuxt',
  '___gatsby',
  'react-root',
  'app-root',
  'app-mount',
  'main-app',
  'svelte',
  'ember-app',
  'q-app',
])

/** Script types that browsers run, and JSON-LD. */
export const SCRIPT_TYPES = new NameTable([
  'application/ld+json',
  'module',
  'text/javascript',
  'application/javascript',
  'application/x-javascript',
  'text/ecmascript',
  'application/ecmascript',
])

/** Every element name that any rule asks for. */
export const TAGS = new NameTable([
  ...new Set([
    ...'html head body base meta link object template noscript svg math annotation-xml font time'.split(' '),
    ...RAW_TEXT_TAGS,
    ...BREAKOUT_TAGS,
    ...SVG_INTEGRATION_POINTS,
    ...MATH_INTEGRATION_POINTS,
    ...MOUNT_TAGS,
    'main',
    'section',
  ]),
])

/** Every attribute that any rule asks for: fewer than 32, since the tokenizer keeps a bit for each. */
export const ATTRIBUTE_NAMES = [
  'property',
  'name',
  'itemprop',
  'itemscope',
  'itemtype',
  'http-equiv',
  'charset',
  'content',
  'value',
  'rel',
  'href',
  'src',
  'sizes',
  'type',
  'media',
  'title',
  'lang',
  'datetime',
  'id',
  'encoding',
  'color',
  'face',
  'size',
] as const

export type AttributeName = (typeof ATTRIBUTE_NAMES)[number]
export const ATTRIBUTES = new NameTable(ATTRIBUTE_NAMES)

/** Place of each attribute in `ATTRIBUTE_NAMES`. */
export const SLOT = Object.fromEntries(ATTRIBUTE_NAMES.map((name, index) => [name, index])) as Record<
  AttributeName,
  number
>
