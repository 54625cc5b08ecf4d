import type { Sources } from '../extract/extract.ts'
import type { FoundExtra } from '../extract/fields/extra.ts'
import type { ResultTags } from '../extract/page/page-tags.ts'
import { withoutFragment } from '../net/url.ts'
import type { FetchTrace, Hop } from './trace.ts'

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
  if (text === undefined) return null
  try {
    const details = JSON.parse(text) as Partial<ResultDetails> | null
    if (!details?.sources || !details.trace?.hops) return null
    const { tags, ...rest } = details as ResultDetails
    return Array.isArray(tags?.plain?.tags) ? { ...rest, tags } : rest
  } catch {
    return null
  }
}

/** A bounded copy of a trace, without the fragments of URLs: results are shared, and a fragment may be private. */
export function storableTrace({ hops, oembed, faviconMs, rendering, ...rest }: FetchTrace): FetchTrace {
  return {
    ...rest,
    hops: storableHops(hops),
    ...(faviconMs !== undefined && { faviconMs: rounded(faviconMs) }),
    ...(oembed && {
      oembed: {
        ...oembed,
        hops: storableHops(oembed.hops),
        durationMs: rounded(oembed.durationMs),
        ...(oembed.failure !== undefined && { failure: bounded(oembed.failure) }),
      },
    }),
    ...(rendering && {
      rendering: {
        ...rendering,
        durationMs: rounded(rendering.durationMs),
        refused: rendering.refused
          .slice(0, MAX_LIST_ITEMS)
          .map((refused) => ({ ...refused, destination: bounded(refused.destination) })),
      },
    }),
  }
}

function storableHops(hops: readonly Hop[]): Hop[] {
  return hops.slice(0, MAX_HOPS).map(storableHop)
}

function storableHop(hop: Hop): Hop {
  const copy: Hop = {
    ...hop,
    url: bounded(withoutFragment(hop.url)),
    addresses: hop.addresses.slice(0, MAX_LIST_ITEMS),
    attempts: hop.attempts.slice(0, MAX_LIST_ITEMS),
    cookiesSent: hop.cookiesSent.slice(0, MAX_LIST_ITEMS).map(bounded),
    cookiesSet: hop.cookiesSet.slice(0, MAX_LIST_ITEMS).map(bounded),
    timing: Object.fromEntries(Object.entries(hop.timing).map(([phase, ms]) => [phase, rounded(ms)])),
  }
  for (const field of ['contentType', 'contentEncoding', 'failure', 'robots'] as const) {
    if (hop[field] !== undefined) copy[field] = bounded(hop[field])
  }
  for (const field of ['location', 'issuerFrom'] as const) {
    if (hop[field] !== undefined) copy[field] = bounded(withoutFragment(hop[field]))
  }
  return copy
}

function bounded(text: string): string {
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, MAX_TEXT_CHARACTERS - 1)}…`
}

/** Rounds to tenths of a millisecond, which keeps the JSON short. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
