import { randomBytes } from 'node:crypto'
import { Transform } from 'node:stream'

import type { RenderReport } from '../../core/fetch/render-report.ts'
import type { EgressRefusal } from '../../core/net/egress.ts'
import { basicAuthorization } from '../connection/connector.ts'

/** Network limits of one page, in the units of the report. */
export type TrafficLimits = Pick<RenderReport, 'requests' | 'bytes' | 'hosts'>

export type PageAccess = ReturnType<typeof openPageAccess>

/** 128 bits, like an API key. */
const SECRET_BYTES = 16

/** Bounds the recorded refusals, because a page can request any number of destinations. */
const MAX_RECORDED_REFUSALS = 20

/** One page's access to the proxy. Disposing it, or exceeding a limit, closes all its connections. */
export function openPageAccess({ requests, bytes, hosts }: TrafficLimits, publicOnly: boolean) {
  const used = { requests: 0, bytes: 0, hosts: new Set<string>(), refused: new Map<string, EgressRefusal>() }
  const controller = new AbortController()
  const username = 'page'
  const password = randomBytes(SECRET_BYTES).toString('hex')
  const end = (reason: string) => controller.abort(new Error(`proxy access ended: ${reason}`))

  return {
    username,
    password,
    publicOnly,
    /** The value of the `Proxy-Authorization` header. */
    authorization: basicAuthorization({ user: username, password }),
    /** The keys of `refused` are `host:port`. */
    used,
    /** Aborts when the access ends. */
    signal: controller.signal,

    /** Counts a request before it is sent. @throws the signal's reason */
    countRequest(host: string) {
      used.hosts.add(host)
      if (++used.requests > requests) end('requests')
      else if (used.hosts.size > hosts) end('hosts')
      controller.signal.throwIfAborted()
    },

    /** A stream that counts the bytes passing through it. */
    meter: () =>
      new Transform({
        transform(chunk: Uint8Array, _encoding, done) {
          used.bytes += chunk.length
          if (used.bytes > bytes) end('bytes')
          done(null, chunk)
        },
      }),

    recordRefusal(destination: string, refusal: EgressRefusal) {
      if (used.refused.size < MAX_RECORDED_REFUSALS) used.refused.set(destination, refusal)
    },

    [Symbol.dispose]: () => end('page closed'),
  }
}
