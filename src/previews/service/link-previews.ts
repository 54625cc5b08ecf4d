import { listPageTags } from '../tags/list-page-tags.ts'
import { type NoTags, type PageTags, resultTags } from '../tags/page-tags.ts'
import type { CheckFacts } from '../checks/check.ts'
import type { PlaygroundSuccessRecord } from './playground-record.ts'
import { oembedUrlOf, type PreviewInput } from '../rules/preview.ts'

/**
 * The inputs of the link previews and checks of a result, from its page or from its edited tags; without the tags of
 * the page, there are no previews and no checks.
 */
export function previewFactsOf(outcome: PlaygroundSuccessRecord): { input: PreviewInput; checks: CheckFacts } | NoTags {
  const { result, details, images, oembed, robots, editedTags } = outcome
  const stored = resultTags(details)
  if (typeof stored === 'string') return stored
  const requestedUrl = outcome.url.split('#', 1)[0]!
  const url = finalUrlOf(outcome)
  const hops = pageHops(outcome)
  const tags = editedTags === null ? stored : { plain: parsedTags(editedTags, stored.plain.baseUrl) }
  const redirects = hops.filter(({ by }) => by === 'redirect').length
  const facts = { requestedUrl, url, redirects, tags, images, robots }
  const input: PreviewInput = { ...facts, favicon: result.favicon ?? null, oembed }
  const checks: CheckFacts = {
    ...facts,
    hops: hops.map((hop) => ({ url: hop.url, status: hop.status ?? null, by: hop.by, isDowngrade: hop.isDowngrade })),
    charset: (editedTags === null && hops.at(-1)?.charset) || null,
    robotsHeader: hops.at(-1)?.robots ?? '',
    interstitial: details?.trace.interstitial ?? null,
    oembed: oembed !== null && oembedUrlOf(tags.plain) === oembed.url ? oembed : null,
  }
  return { input, checks }
}

/** @param baseUrl for relative URLs; the `<base>` of the page is not among the edited tags */
function parsedTags(text: string, baseUrl: string): PageTags {
  return listPageTags({ bytes: new TextEncoder().encode(text), encoding: 'utf-8', url: new URL(baseUrl) })
}

/** The requests that led to the page, without requests for oEmbed. */
function pageHops({ details }: PlaygroundSuccessRecord) {
  return (details?.trace.hops ?? []).flatMap(({ by, ...hop }) => (by === 'oembed' ? [] : [{ ...hop, by }]))
}

/** The URL after redirects. Stored hops may have truncated URLs, which are not used. */
function finalUrlOf(outcome: PlaygroundSuccessRecord): string {
  const { url } = outcome
  const last = pageHops(outcome).at(-1)?.url
  return last !== undefined && !last.endsWith('…') && URL.canParse(last) ? last : url
}
