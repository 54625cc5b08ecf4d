import { EXTRA_SOURCES, EXTRA_NAMES } from './extra.ts'
import { FIELDS } from './fields.ts'
import { NameLookup } from '../reading/name-lookup.ts'
import type { Range } from '../reading/range.ts'

/* The names of elements to keep while a page is read, collected from the sources in the tables of fields. */

const SOURCES = FIELDS.flatMap(({ sources }) => sources)
const FIELD_META_NAMES = SOURCES.flatMap(({ metaNames = [] }) => metaNames)
const EXTRA_META_NAMES = EXTRA_NAMES.flatMap((name) => EXTRA_SOURCES[name].flatMap(({ metaNames }) => metaNames))

/** Values of `property` or `name` of the meta elements that sources read. */
export const META_NAMES = new NameLookup([...FIELD_META_NAMES, ...EXTRA_META_NAMES])

/** Tags that frameworks write into the empty shell of an application, because they are the same on all pages. */
const NAMES_OF_SITES: ReadonlySet<string> = new Set(['og:site_name', 'og:type', 'og:locale'])

/**
 * Open Graph tags that show that a page describes itself. Tags for optional fields, such as `og:video`, are not included.
 */
export const OPEN_GRAPH_NAMES: ReadonlySet<string> = new Set(
  FIELD_META_NAMES.filter((name) => name.startsWith('og:') && !NAMES_OF_SITES.has(name)),
)

/** Values of `itemprop` that sources read. */
export const ITEMPROPS = new NameLookup(SOURCES.flatMap(({ itemprop = [] }) => itemprop))

export const LINK_RELATIONS = new NameLookup(SOURCES.flatMap(({ linkRelations = [] }) => linkRelations))

/**
 * Other names of the same meta elements: Dublin Core names with a colon, as in XML (`dc:title`), and Highwire names with
 * the prefix of the repository software Digital Commons (`bepress_citation_title`).
 */
const ALIASES = new Map(
  META_NAMES.names.map((name) => [name.replace(/^(dc(?:terms)?)\./, '$1:').replace(/^citation_/, 'bepress_$&'), name]),
)
const ALIAS_TABLE = new NameLookup(ALIASES.keys())

/** The name of a meta element that sources read; undefined for any other. */
export function metaNameOf(bytes: Uint8Array, range: Range): string | undefined {
  const name = META_NAMES.findDecoded(bytes, range)
  return name ?? ALIASES.get(ALIAS_TABLE.find(bytes, range.start, range.end) ?? '')
}
