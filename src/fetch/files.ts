import { FetchError } from '../core/errors.ts'
import type { FileFetcher } from '../core/fetch-ports.ts'
import { readStart } from './body.ts'
import { followRedirects, startRedirectChain } from './redirects.ts'
import { type NetworkOptions, openSeparateRequester } from './separate-requester.ts'

/** Real servers send such files within a second. The page of the playground waits for them. */
const DEADLINE_MS = 3_000

/** Crawlers follow at least five for a robots.txt (RFC 9309 section 2.3.1.2). */
const MAX_REDIRECTS = 5

const MAX_CONCURRENT = 16
const MAX_PER_HOST = 4

/**
 * Fetches small files that belong to a page, such as its robots.txt, for the playground, through the guard like pages.
 * Disposing it aborts pending requests.
 */
export function createFileFetcher(options: NetworkOptions): FileFetcher & Disposable {
  const { userAgent, sites } = options
  const requester = openSeparateRequester(options, {
    name: 'file fetcher',
    total: MAX_CONCURRENT,
    perHost: MAX_PER_HOST,
  })
  const { send, closing } = requester

  return {
    async fetch(url, { accept, maxBytes }, requestSignal) {
      const signal = AbortSignal.any([requestSignal, closing, AbortSignal.timeout(DEADLINE_MS)])
      const chain = startRedirectChain({
        send,
        signal,
        caller: null,
        trace: { hops: [] },
        userAgent,
        sites,
        accept,
        redirectsLeft: MAX_REDIRECTS,
      })
      try {
        return await followRedirects(chain, url, 'caller', async ({ url: finalUrl, response, hop }) => {
          const status = hop.status ?? 0
          const bytes = status === 200 ? await readStart(response, maxBytes, signal) : new Uint8Array()
          return { url: finalUrl, status, bytes }
        })
      } catch (error) {
        if (signal.aborted) return { problem: 'timed out' }
        return { problem: error instanceof FetchError ? error.reason : 'could not be fetched' }
      }
    },
    [Symbol.dispose]: () => requester[Symbol.dispose](),
  }
}
