import type { Sources } from '../extract/extract.ts'
import type { FoundExtra } from '../extract/fields/extra.ts'
import type { ResultTags } from '../extract/page/page-tags.ts'
import { parsedJson } from '../json.ts'
import { withoutFragment } from '../net/url.ts'
import type { FetchTrace } from './trace.ts'

/** How a result was obtained: what the playground shows beside the result. */
export interface ResultDetails {
  /** Where each value came from, by field. */
  sources: Sources
  /** The fields that requests may name in `fields`; absent in results that an earlier version stored. */
  extra?: FoundExtra
  /** The hops and the choice of the method, bounded by `storableTrace`. */
  trace: FetchTrace
  /** Absent when the page was fetched by an API request, which does not list tags, or when they were too large. */
  tags?: ResultTags
}

/** Larger details are not stored. Typical ones have 1,500 characters; the tags of a rendered page take up to 64,000. */
const MAX_DETAILS_CHARACTERS = 64 * 1024

/** Limits of a stored trace: sites choose how many addresses, cookies and redirects there are, and how long they are. */
const MAX_HOPS = 20
const MAX_LIST_ITEMS = 8
const MAX_TEXT_CHARACTERS = 300

/** The details as JSON text for the cache, without tags if they are too large; undefined if that is too large too. */
export function detailsText({ tags, ...details }: ResultDetails): string | undefined {
  const texts = [JSON.stringify({ ...details, tags }), JSON.stringify(details)]
  return texts.find((text) => text.length <= MAX_DETAILS_CHARACTERS)
}

/** The details of a stored result; null when there are none, or when another version wrote them in another format. */
export function parseDetails(text: string | undefined): ResultDetails | null {
  const details = parsedJson(text ?? '') as Partial<ResultDetails> | null | undefined
  if (!details?.sources || !details.trace?.hops) return null
  const { tags, ...rest } = details as ResultDetails
  return Array.isArray(tags?.plain?.tags) ? { ...rest, tags } : rest
}

/** The fields of a trace with URLs. Their fragments are removed: results are shared, and a fragment may be private. */
const URL_FIELDS: ReadonlySet<string> = new Set(['url', 'location', 'issuerFrom'])

/** A copy of a trace with bounded lists and texts, and with times in tenths of a millisecond, which keeps the JSON short. */
export function storableTrace(trace: FetchTrace): FetchTrace {
  return bounded(trace, '') as FetchTrace
}

/** @param field the field of the value, or of the list that it is in */
function bounded(value: unknown, field: string): unknown {
  if (typeof value === 'string') return truncated(URL_FIELDS.has(field) ? withoutFragment(value) : value)
  if (typeof value === 'number') return Math.round(value * 10) / 10
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.slice(0, field === 'hops' ? MAX_HOPS : MAX_LIST_ITEMS).map((item) => bounded(item, field))
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, bounded(part, name)]))
}

function truncated(text: string): string {
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, MAX_TEXT_CHARACTERS - 1)}…`
}
