import { FetchError } from '../core/errors.ts'
import type { Hop } from '../core/trace.ts'
import type { WebhookSender } from '../core/usage-alerts.ts'
import { readStart } from './body.ts'
import { createConnections } from './connections.ts'
import { createConnector } from './connector.ts'
import { createGuard } from './guard.ts'
import type { ImagesDeps } from './images.ts'
import { createRequester } from './requester.ts'
import { createResolver } from './resolver.ts'
import { createSlots } from './slots.ts'

/** Receivers should accept at once and do their work later. */
const DEADLINE_MS = 10_000

/** The body of the response is not used. This much is read so that small responses end their connection cleanly. */
const MAX_RESPONSE_BYTES = 4_096

/** Webhooks are rare; these bounds keep one receiver from delaying all others. */
const MAX_CONCURRENT = 16
const MAX_PER_HOST = 4

/** The network options of the images. */
export type WebhookDeps = ImagesDeps

/**
 * Sends webhooks through the guard, with slots of their own. Redirects are failures, because a POST must not be repeated
 * elsewhere. Disposing it aborts pending requests.
 */
export function createWebhookSender(deps: WebhookDeps): WebhookSender & Disposable {
  const { allow, dnsServers, egressProxy, userAgent, ownPorts } = deps
  const closing = new AbortController()
  const resolver = createResolver({ servers: dnsServers })
  const connections = createConnections()
  const send = createRequester({
    guard: createGuard({ resolver, allow, ownPorts }),
    slots: createSlots({ total: MAX_CONCURRENT }),
    connections,
    connector: createConnector({ egressProxy, resolver }),
    sharesOf: ({ url }) => [{ key: url.host, limit: MAX_PER_HOST }],
  })

  return {
    async send(url, headers, body) {
      const deadline = AbortSignal.timeout(DEADLINE_MS)
      const signal = AbortSignal.any([closing.signal, deadline])
      const hop = hopTo(url)
      try {
        await send(
          { url, headers: { ...headers, 'User-Agent': userAgent }, body, caller: null, hop, signal },
          (response) => readStart(response, MAX_RESPONSE_BYTES, signal),
        )
      } catch (error) {
        // The status is decisive, even if the rest of the response is broken.
        if (hop.status === undefined) throw deadline.aborted ? timeout(error) : error
      }
      const status = hop.status ?? 0
      if (status < 200 || status > 299) throw new FetchError('http_status', `HTTP ${status}`, { siteStatus: status })
    },
    [Symbol.dispose]() {
      closing.abort(new Error('the webhook sender is closed'))
      connections[Symbol.dispose]()
      resolver[Symbol.dispose]()
    },
  }
}

function hopTo(url: URL): Hop {
  const { href } = url
  return {
    url: href,
    by: 'caller',
    isDowngrade: false,
    addresses: [],
    attempts: [],
    cookiesSent: [],
    cookiesSet: [],
    timing: {},
  }
}

function timeout(cause: unknown): FetchError {
  return new FetchError('timeout', `timed out after ${DEADLINE_MS} ms`, { cause })
}
