import { FetchError } from '../../core/errors.ts'
import { type NetworkOptions, openNetwork } from './network.ts'
import { type FinalResponse, followRedirects, startRedirectChain } from './redirects.ts'
import type { Principal } from '../../core/fetch/ports.ts'
import type { Requester } from './requester.ts'
import { createSlots } from './slots.ts'

export interface GetOptions {
  /** The maximum duration in milliseconds. */
  deadlineMs: number
  maxRedirects: number
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal
  /** The Accept header. */
  accept: string
  caller: Principal
}

export interface RequesterSettings {
  /** Part of the error of requests that are aborted by disposing it: `the webhook sender is closed`. */
  name: string
  /** The maximum number of concurrent requests. */
  total: number
  /** The maximum number of concurrent requests to one host. */
  perHost: number
}

/** A requester behind the guard. Disposing it aborts pending requests. */
export interface DedicatedRequester extends Disposable {
  send: Requester
  /** GETs `url`, follows redirects and reads the last response. Never rejects: `problem` is a reason for users. */
  get<T extends object>(
    url: URL,
    options: GetOptions,
    read: (final: FinalResponse, signal: AbortSignal) => Promise<T>,
  ): Promise<T | { problem: string }>
  /** Aborts when the requester is disposed. */
  closing: AbortSignal
}

/** Opens a requester that shares no slots or connections with page fetches, so that it never delays the API. */
export function openDedicatedRequester(
  options: NetworkOptions,
  { name, total, perHost }: RequesterSettings,
): DedicatedRequester {
  const { sites, userAgent, acceptLanguage } = options
  const network = openNetwork(options, {
    limitsOf: ({ url }) => [{ key: url.host, limit: perHost }],
    closedError: `the ${name} is closed`,
  })
  const { closing } = network
  const send = network.requester(createSlots({ total }))

  return {
    send,
    async get(url, { deadlineMs, maxRedirects, signal: requestSignal, accept, caller }, read) {
      const signal = AbortSignal.any([requestSignal, closing, AbortSignal.timeout(deadlineMs)])
      const chain = startRedirectChain({
        send,
        signal,
        caller,
        trace: { hops: [] },
        userAgent,
        sites,
        acceptLanguage,
        // The page that the file belongs to may have been encrypted.
        isAfterHttps: true,
        redirectsLeft: maxRedirects,
        accept,
      })
      try {
        return await followRedirects(chain, url, 'caller', (final) => read(final, signal))
      } catch (error) {
        if (signal.aborted) return { problem: 'timed out' }
        return { problem: error instanceof FetchError ? error.reason : 'could not be fetched' }
      }
    },
    closing,
    [Symbol.dispose]: () => network[Symbol.dispose](),
  }
}
