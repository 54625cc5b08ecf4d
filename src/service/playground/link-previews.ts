import { listPageTags } from '../../core/extract/list-page-tags.ts'
import type { ResultTags } from '../../core/extract/page/page-tags.ts'
import type { CheckFacts } from '../../core/previews/checks/check.ts'
import type { PlaygroundSuccessRecord } from '../../core/previews/playground-record.ts'
import { knownTags, oembedUrlOf, type PreviewInput } from '../../core/previews/preview.ts'

/** The inputs of the link previews and checks of a result, from its page or from its edited tags. */
export function previewFactsOf(outcome: PlaygroundSuccessRecord) {
  const { result, details, images, oembed, robots, editedTags } = outcome
  const requestedUrl = outcome.url.split('#', 1)[0]!
  const url = finalUrlOf(outcome)
  const hops = pageHops(outcome)
  const tags = tagsOf(outcome, url)
  const redirects = hops.filter(({ by }) => by === 'redirect').length
  const known = { requestedUrl, url, redirects, tags, images, robots }
  const input: PreviewInput = { ...known, favicon: result.favicon ?? null, oembed }
  const checks: CheckFacts = {
    ...known,
    hops: hops.map((hop) => ({ url: hop.url, status: hop.status ?? null, by: hop.by, isDowngrade: hop.isDowngrade })),
    charset: (editedTags === null && hops.at(-1)?.charset) || null,
    robotsHeader: hops.at(-1)?.robots ?? '',
    interstitial: details?.trace.interstitial ?? null,
    oembed: oembed !== null && oembedUrlOf(tags.plain) === oembed.url ? oembed : null,
  }
  /** Whether only the tags that the API used are known: an API request fetched the page, or there were too many. */
  const isPartial = editedTags === null && details?.tags === undefined
  return { input, checks, isPartial }
}

function tagsOf({ result, details, editedTags }: PlaygroundSuccessRecord, url: string): ResultTags {
  if (editedTags !== null) {
    const bytes = new TextEncoder().encode(editedTags)
    // The `<base>` of the page is not among the tags to edit.
    const base = details?.tags?.plain.baseUrl ?? url
    return { plain: listPageTags({ bytes, encoding: 'utf-8', url: new URL(base) }) }
  }
  return details?.tags ?? { plain: knownTags(result, details?.sources ?? {}, url) }
}

/** The requests that led to the page. */
function pageHops({ details }: PlaygroundSuccessRecord) {
  return (details?.trace.hops ?? []).flatMap(({ by, ...hop }) => (by === 'oembed' ? [] : [{ ...hop, by }]))
}

/** The URL after redirects. Stored hops may have truncated URLs, which are not used. */
function finalUrlOf(outcome: PlaygroundSuccessRecord): string {
  const { url } = outcome
  const last = pageHops(outcome).at(-1)?.url
  return last !== undefined && !last.endsWith('…') && URL.canParse(last) ? last : url
}
