import { EXTRA, EXTRA_NAMES } from './extra.ts'
import { FIELDS } from './fields.ts'
import { NameLookup } from '../reading/name-lookup.ts'
import type { Range } from '../reading/range.ts'

/* The names of elements to keep while a page is read, collected from the sources in the tables of fields. */

const SOURCES = FIELDS.flatMap(({ sources }) => sources)
const FIELD_META_NAMES = SOURCES.flatMap(({ metaNames = [] }) => metaNames)
const EXTRA_META_NAMES = EXTRA_NAMES.flatMap((name) => EXTRA[name].sources.flatMap(({ metaNames }) => metaNames))

/** Values of `property` or `name` of the meta elements that sources read. */
export const META_NAMES = new NameLookup([...new Set([...FIELD_META_NAMES, ...EXTRA_META_NAMES])])

/** Open Graph tags that are evidence of a described page. Those of fields on request, such as `og:video`, are not. */
export const OPEN_GRAPH_NAMES: ReadonlySet<string> = new Set(FIELD_META_NAMES.filter((name) => name.startsWith('og:')))

/** Values of `itemprop` that sources read. */
export const ITEMPROPS = new NameLookup([...new Set(SOURCES.flatMap(({ itemprop = [] }) => itemprop))])

/** Link relations that sources read. */
export const LINK_RELATIONS = new NameLookup([...new Set(SOURCES.flatMap(({ linkRelations = [] }) => linkRelations))])

/** Dublin Core with a colon, as its XML names are written: `dc:title` means `dc.title`. */
const COLON_NAMES = new Map(
  META_NAMES.names.filter((name) => /^dc(?:terms)?\./.test(name)).map((name) => [name.replace('.', ':'), name]),
)
const COLON_TABLE = new NameLookup([...COLON_NAMES.keys()])

/** The name of a meta element that sources read; undefined for any other. */
export function metaNameOf(bytes: Uint8Array, range: Range): string | undefined {
  const name = META_NAMES.findDecoded(bytes, range)
  return name ?? COLON_NAMES.get(COLON_TABLE.find(bytes, range.start, range.end) ?? '')
}
