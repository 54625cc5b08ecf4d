import { FetchError, messageOf } from '../core/errors.ts'
import type { Fetcher } from '../core/fetch/ports.ts'
import { MAX_OEMBED_BYTES, OEMBED_ACCEPT, type OembedResponse } from '../core/oembed/result.ts'
import { readStart } from './response/body.ts'
import { followRedirects, hasHttpsHop, startRedirectChain } from './connection/redirects.ts'
import type { ChainSettings, FinalResponse } from './connection/redirects.ts'

/** Real endpoints respond within a second. */
const MAX_WAIT_MS = 3_000

/** The rest of the budget is left for rendering the page. */
const MAX_SHARE_OF_BUDGET = 0.5

/** Enough for redirects from `http` to `https` and to another host name. */
const MAX_REDIRECTS = 3

/**
 * Requests oEmbed responses, through the guard. `send` is the one for pages, so that oEmbed requests take the user's
 * slots.
 */
export function createOembedClient({ closing, settings, ...start }: ChainSettings): Fetcher['oembed'] {
  return async (endpoint, budget, hops, after = []) => {
    const timeout = AbortSignal.timeout(Math.min(MAX_WAIT_MS, MAX_SHARE_OF_BUDGET * budget.remainingMs()))
    const signal = AbortSignal.any([budget.signal, closing, timeout])
    const chain = startRedirectChain({
      ...start,
      sites: settings().sites,
      signal,
      caller: budget,
      trace: { hops },
      isAfterHttps: hasHttpsHop(after),
      accept: OEMBED_ACCEPT,
      redirectsLeft: MAX_REDIRECTS,
    })
    try {
      return await followRedirects(chain, endpoint, 'oembed', (final) => read(final, signal))
    } catch (error) {
      budget.signal.throwIfAborted()
      if (timeout.aborted) return { failure: 'timed out' }
      // The page's metadata is returned without the oEmbed response.
      return { failure: error instanceof FetchError ? error.reason : messageOf(error) }
    }
  }
}

async function read({ url, response, status }: FinalResponse, signal: AbortSignal): Promise<OembedResponse> {
  if (status !== 200) throw new FetchError('http_status', { reason: `HTTP ${status}` })
  const bytes = await readStart(response, MAX_OEMBED_BYTES + 1, signal)
  if (bytes.length > MAX_OEMBED_BYTES) throw new FetchError('response_too_large')
  return { bytes, url }
}
