import { FetchError } from '../core/errors.ts'
import { startHop } from '../core/fetch/trace.ts'
import type { WebhookSender } from '../core/usage/alerts.ts'
import { readStart } from './response/body.ts'
import { openDedicatedRequester } from './connection/dedicated-requester.ts'
import { type NetworkOptions, withoutSites } from './connection/network.ts'

/** Receivers should respond immediately and process the alert later. */
const DEADLINE_MS = 10_000

/** Small responses are read to their end, so that the connection is closed cleanly. The body is not used. */
const MAX_RESPONSE_BYTES = 4_096

/**
 * Sends webhooks through the guard. Redirects are failures, because a POST must not be repeated at another URL.
 * Disposing the sender aborts pending requests.
 */
export function createWebhookSender(options: NetworkOptions): WebhookSender & Disposable {
  const requester = openDedicatedRequester(withoutSites(options), 'webhook sender')

  return {
    async send(url, headers, body) {
      const deadline = AbortSignal.timeout(DEADLINE_MS)
      const signal = AbortSignal.any([requester.closing, deadline])
      const hop = startHop(url, 'caller')
      try {
        await requester.send(
          { url, headers: { ...headers, 'User-Agent': options.userAgent }, body, caller: null, hop, signal },
          (response) => readStart(response, MAX_RESPONSE_BYTES, signal),
        )
      } catch (error) {
        // Only the status matters, even if reading the rest of the response failed.
        if (hop.status === undefined) throw deadline.aborted ? timeout(error) : error
      }
      const status = hop.status!
      if (status < 200 || status > 299)
        throw new FetchError('http_status', { reason: `HTTP ${status}`, siteStatus: status })
    },
    [Symbol.dispose]: () => requester[Symbol.dispose](),
  }
}

function timeout(cause: unknown): FetchError {
  return new FetchError('timeout', { reason: `timed out after ${DEADLINE_MS} ms`, cause })
}
