import type { IncomingMessage } from 'node:http'

import { egressTarget } from '../core/egress.ts'
import { FetchError } from '../core/errors.ts'
import type { Hop } from '../core/trace.ts'
import { connectTcp, dial, secure, type Connect, type Route } from './dial.ts'
import { exchange } from './exchange.ts'
import type { Guard } from './guard.ts'
import type { Share, Slots } from './slots.ts'

/** One GET of one URL; no redirect is followed. */
export interface Visit {
  url: URL
  headers: Record<string, string>
  /** Who it is for; null where nobody shares. */
  caller: string | null
  /** Where the way is noted while it is gone. */
  hop: Hop
  signal: AbortSignal
}

/**
 * Makes one request and hands the answer to `read`; the connection ends when that is done.
 * @throws FetchError, the signal's reason, or what `read` throws
 */
export type Visitor = <T>(visit: Visit, read: (answer: IncomingMessage) => Promise<T>) => Promise<T>

export interface VisitorDeps {
  guard: Guard
  slots: Slots
  /** The shares that a request belongs to, once it is known where it goes. */
  sharesOf: (visit: Visit, route: Route) => Share[]
  /** Certificate authorities in PEM instead of the built-in ones. */
  authorities?: readonly string[] | undefined
  connect?: Connect
}

export function createVisitor({ guard, slots, sharesOf, authorities, connect = connectTcp }: VisitorDeps): Visitor {
  async function routeTo({ url, hop, signal }: Visit): Promise<Route> {
    const startedAt = performance.now()
    const target = egressTarget(url)
    const decision = await guard.decide(target, signal)
    hop.timing.dnsMs = performance.now() - startedAt
    hop.addresses = decision.judged
    if (decision.resolvedBy) hop.resolvedBy = decision.resolvedBy
    if (!decision.allowed) {
      hop.refusal = decision.refusal
      // The same words for every refusal, and before any connection: what is open behind it cannot be learnt.
      throw new FetchError('address_not_allowed', 'address not allowed', { cause: decision, detail: decision.refusal })
    }
    return { pinned: decision.pinned, target }
  }

  async function slotFor(visit: Visit, route: Route): Promise<Disposable> {
    const { caller, hop, signal } = visit
    const startedAt = performance.now()
    const slot = await slots.take({ user: caller, shares: sharesOf(visit, route) }, signal)
    hop.timing.queueMs = performance.now() - startedAt
    return slot
  }

  return async (visit, read) => {
    const { url, headers, hop, signal } = visit
    // Names whose servers are silent must not sit in the slots of those that can be reached: look up first.
    const route = await routeTo(visit)
    using _slot = await slotFor(visit, route)
    const plain = await dial(route, connect, hop, signal)
    const hangUp = () => plain.destroy()
    signal.addEventListener('abort', hangUp, { once: true })
    try {
      const isSecure = url.protocol === 'https:'
      const socket = isSecure ? await secure(plain, { host: url.hostname, authorities }, hop, signal) : plain
      return await read(await exchange(socket, url, headers, hop, signal))
    } finally {
      signal.removeEventListener('abort', hangUp)
      hop.wireBytes = plain.bytesRead
      plain.destroy()
    }
  }
}
