import type { Sources } from '../extract/extract.ts'
import type { FoundExtra } from '../extract/fields/extra.ts'
import { parsedJson } from '../json.ts'
import { withoutFragment } from '../net/url.ts'
import type { FetchTrace } from './trace.ts'

/** How a result was obtained. The playground shows these details beside the result. */
export interface ResultDetails {
  /** Where each value came from, by field. */
  sources: Sources
  /** The fields that requests may name in `fields`; absent in results that an earlier version stored. */
  extra?: FoundExtra
  /** The hops and the choice of the method, bounded by `storableTrace`. */
  trace: FetchTrace
  /**
   * The tags of the page, which only link previews read, with `resultTags` of src/previews/. Absent if the page was
   * fetched by an API request, which does not list tags, or if the tags were too large.
   */
  tags?: unknown
}

/**
 * Larger details are not stored. Typical details have 1,500 characters; the tags of a rendered page take up to 64,000.
 */
const MAX_DETAILS_CHARACTERS = 64 * 1024

/** Limits of a stored trace, because sites choose the number and length of addresses, cookies and redirects. */
const MAX_HOPS = 20
const MAX_LIST_ITEMS = 8
const MAX_TEXT_CHARACTERS = 300

/**
 * The details as JSON text for the cache, without tags if the text is too large; undefined if it is too large even
 * without tags.
 */
export function detailsText({ tags, ...details }: ResultDetails): string | undefined {
  const texts = [JSON.stringify({ ...details, tags }), JSON.stringify(details)]
  return texts.find((text) => text.length <= MAX_DETAILS_CHARACTERS)
}

/** Null if there are no details, or if another version wrote them in another format. */
export function parseDetails(text: string | undefined): ResultDetails | null {
  const details = parsedJson(text ?? '') as Partial<ResultDetails> | null | undefined
  if (!details?.sources || !details.trace?.hops) return null
  return details as ResultDetails
}

/**
 * The fields of a trace that contain URLs. Their fragments are removed, because results are shared and a fragment may
 * be private.
 */
const URL_FIELDS: ReadonlySet<string> = new Set(['url', 'location', 'issuerFrom'])

/**
 * Returns a copy of a trace for the cache. Long lists and texts are truncated, and times are rounded to 0.1 ms, to keep
 * the JSON short.
 */
export function storableTrace(trace: FetchTrace): FetchTrace {
  return bounded(trace, '') as FetchTrace
}

/** @param field the name of the field with the value; for an item of a list, the field with the list */
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
