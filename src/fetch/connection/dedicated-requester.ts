import texts from '../../core/error-texts.json'
import { FetchError } from '../../core/errors.ts'
import { type NetworkOptions, openNetwork } from './network.ts'
import { type FinalResponse, followRedirects, startRedirectChain } from './redirects.ts'
import type { Caller } from '../../core/fetch/ports.ts'
import { createSlots } from './slots.ts'

export interface GetOptions {
  deadlineMs: number
  maxRedirects: number
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal
  accept: string
  caller: Caller
}

/** The problem of a request that took too long, or was aborted. */
export const TIMED_OUT = texts.fetchFailures.timeout

/** Each request may take the memory of an image. One host or one user must not delay all others. */
const MAX_CONCURRENT = 32
const MAX_PER_USER = 8
const MAX_PER_HOST = 4

/**
 * Opens a requester behind the guard that shares no slots or connections with page fetches, so that it never delays the
 * API. Disposing it aborts pending requests.
 * @param name part of the error of aborted requests: `the webhook sender is closed`
 */
export function openDedicatedRequester(options: NetworkOptions, name: string) {
  const { settings, userAgent, acceptLanguage } = options
  const network = openNetwork(options, {
    limitsOf: ({ url, caller }) => [
      { key: url.host, limit: MAX_PER_HOST },
      // Webhooks have no caller.
      ...(caller === null ? [] : [{ key: `user ${caller.userId}`, limit: MAX_PER_USER }]),
    ],
    closedError: `the ${name} is closed`,
  })
  const { closing } = network
  const send = network.requester(createSlots({ total: MAX_CONCURRENT }))

  return {
    send,
    /** Aborts when the requester is disposed. */
    closing,
    /**
     * GETs `url`, follows redirects and reads the last response. Never rejects: `problem` describes a failure to users.
     */
    async get<T extends object>(
      url: URL,
      { deadlineMs, maxRedirects, signal: requestSignal, accept, caller }: GetOptions,
      read: (final: FinalResponse, signal: AbortSignal) => Promise<T>,
    ): Promise<T | { problem: string }> {
      const signal = AbortSignal.any([requestSignal, closing, AbortSignal.timeout(deadlineMs)])
      const chain = startRedirectChain({
        send,
        signal,
        caller,
        trace: { hops: [] },
        userAgent,
        sites: settings().sites,
        acceptLanguage,
        // The page that the file belongs to may have been fetched over https.
        isAfterHttps: true,
        redirectsLeft: maxRedirects,
        accept,
      })
      try {
        return await followRedirects(chain, url, 'caller', (final) => read(final, signal))
      } catch (error) {
        if (signal.aborted) return { problem: TIMED_OUT }
        return { problem: error instanceof FetchError ? error.reason : 'could not be fetched' }
      }
    },
    [Symbol.dispose]: () => network[Symbol.dispose](),
  }
}
