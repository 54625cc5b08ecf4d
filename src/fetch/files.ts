import type { FileFetcher } from '../core/fetch/ports.ts'
import { readStart } from './response/body.ts'
import { openDedicatedRequester } from './connection/dedicated-requester.ts'
import type { NetworkOptions } from './connection/network.ts'

/** Real servers send robots.txt and similar files within a second. The playground page waits for them. */
const DEADLINE_MS = 3_000

/** Crawlers follow at least five redirects for a robots.txt (RFC 9309 section 2.3.1.2). */
const MAX_REDIRECTS = 5

/** Fetches small files of a page, such as robots.txt, through the guard. Disposing it aborts pending requests. */
export function createFileFetcher(options: NetworkOptions): FileFetcher & Disposable {
  const requester = openDedicatedRequester(options, 'file fetcher')

  return {
    fetch(url, { accept, maxBytes, caller, deadlineMs = DEADLINE_MS }, requestSignal) {
      const getOptions = { caller, deadlineMs, maxRedirects: MAX_REDIRECTS, signal: requestSignal, accept }
      return requester.get(url, getOptions, async ({ url: finalUrl, response, status }, signal) => {
        const bytes = status === 200 ? await readStart(response, maxBytes, signal) : new Uint8Array()
        return { url: finalUrl, status, bytes }
      })
    },
    [Symbol.dispose]: () => requester[Symbol.dispose](),
  }
}
