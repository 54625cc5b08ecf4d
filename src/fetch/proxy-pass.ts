import { randomBytes } from 'node:crypto'
import { Transform } from 'node:stream'

import type { EgressRefusal } from '../core/egress.ts'

/** What one page may use of the network. */
export interface Allowance {
  /** Plain requests and tunnels. */
  requests: number
  /** In both directions. */
  bytes: number
  /** Different host names and addresses. */
  hosts: number
}

/** What a page has used so far. */
export interface Usage {
  requests: number
  bytes: number
  hosts: ReadonlySet<string>
  /** Where it wanted to go and must not; as `host:port`. */
  refused: ReadonlyMap<string, EgressRefusal>
}

/** One page's way through the proxy. Disposing it, or using it up, cuts every connection that was made with it. */
export interface Pass extends Disposable {
  readonly username: string
  readonly password: string
  readonly used: Usage
  /** Aborts when there is nothing more to be had; the reason is a `PassOver`. */
  readonly signal: AbortSignal
}

/** Why a pass is no longer good. */
export class PassOver extends Error {
  override name = 'PassOver'
  constructor(readonly because: keyof Allowance | 'page closed') {
    super(`pass is over: ${because}`)
  }
}

/** The proxy's side of a pass. */
export interface Account extends Pass {
  /** What a request made with it carries as `Proxy-Authorization`. */
  readonly authorization: string
  /** Counts a request before it goes anywhere. @throws PassOver */
  spendRequest(host: string): void
  /** Lets bytes through and counts them. */
  meter(): Transform
  noteRefusal(destination: string, refusal: EgressRefusal): void
}

/** As many as a key of the service: not to be guessed. */
const SECRET_BYTES = 16

/** Refusals are told to the operator; a page that scans ports must not fill the memory with them. */
const MAX_NOTED_REFUSALS = 20

export function issuePass({ requests, bytes, hosts }: Allowance): Account {
  const used = { requests: 0, bytes: 0, hosts: new Set<string>(), refused: new Map<string, EgressRefusal>() }
  const over = new AbortController()
  const username = 'page'
  const password = randomBytes(SECRET_BYTES).toString('hex')
  const end = (because: PassOver['because']) => over.abort(new PassOver(because))

  return {
    username,
    password,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    used,
    signal: over.signal,

    spendRequest(host) {
      used.hosts.add(host)
      if (++used.requests > requests) end('requests')
      else if (used.hosts.size > hosts) end('hosts')
      over.signal.throwIfAborted()
    },

    meter: () =>
      new Transform({
        transform(chunk: Uint8Array, _encoding, done) {
          used.bytes += chunk.length
          if (used.bytes > bytes) end('bytes')
          done(null, chunk)
        },
      }),

    noteRefusal(destination, refusal) {
      if (used.refused.size < MAX_NOTED_REFUSALS) used.refused.set(destination, refusal)
    },

    [Symbol.dispose]: () => end('page closed'),
  }
}
