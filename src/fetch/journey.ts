import type { IncomingMessage } from 'node:http'

import { FetchError } from '../core/errors.ts'
import { redirectionOf } from '../core/redirect.ts'
import type { FetchTrace, Hop } from '../core/trace.ts'
import { cookieNames, createHostCookies, type HostCookies } from './host-cookies.ts'
import { ACCEPT_ENCODING } from './inflate.ts'
import type { Visitor } from './visit.ts'

/** The way to one page over all its redirects: what is carried from hop to hop. */
export interface Journey {
  readonly visit: Visitor
  readonly signal: AbortSignal
  /** Who it is for; null where nobody shares. */
  readonly caller: string | null
  readonly trace: FetchTrace
  readonly cookies: HostCookies
  readonly userAgent: string
  redirectsLeft: number
  /** The requests made so far, to notice a circle. */
  readonly made: Set<string>
}

/** One answer at the end of a journey's redirects. */
export interface Arrival {
  url: URL
  answer: IncomingMessage
  hop: Hop
}

export function startJourney(
  start: Pick<Journey, 'visit' | 'signal' | 'caller' | 'trace' | 'userAgent' | 'redirectsLeft'>,
): Journey {
  return { ...start, cookies: createHostCookies(), made: new Set() }
}

/**
 * GETs `url` and every redirect from there; each hop is decided anew, and only the last answer is read.
 * @throws FetchError, the signal's reason, or what `read` throws
 */
export async function travel<T>(
  journey: Journey,
  url: URL,
  by: Hop['by'],
  read: (arrival: Arrival) => Promise<T>,
): Promise<T> {
  const isRedirect = by === 'redirect' || by === 'refresh'
  if (isRedirect && journey.redirectsLeft-- === 0) throw tooManyRedirects()
  const outcome = await request(journey, url, by, read)
  return 'next' in outcome ? travel(journey, outcome.next, 'redirect', read) : outcome.result
}

async function request<T>(
  { visit, signal, caller, trace, cookies, userAgent, made }: Journey,
  url: URL,
  by: Hop['by'],
  read: (arrival: Arrival) => Promise<T>,
): Promise<{ next: URL } | { result: T }> {
  const cookie = cookies.headerFor(url)
  // A site may well lead back to the same URL once it has set its cookie; the very same request twice is a circle.
  const identity = [url.href, cookie, userAgent].join('\n')
  if (made.has(identity)) throw tooManyRedirects()
  made.add(identity)

  const hop: Hop = {
    url: url.href,
    by,
    isDowngrade: url.protocol === 'http:' && trace.hops.at(-1)?.url.startsWith('https:') === true,
    addresses: [],
    attempts: [],
    cookiesSent: cookieNames(cookie),
    cookiesSet: [],
    timing: {},
  }
  trace.hops.push(hop)
  try {
    return await visit({ url, headers: headersFor(userAgent, cookie), caller, hop, signal }, async (answer) => {
      hop.cookiesSet = cookies.keep(answer, url)
      const redirection = redirectionOf(hop.status ?? 0, answer.headers.location ?? null, url)
      if (redirection === 'invalid') throw new FetchError('invalid_redirect', 'invalid redirect')
      if (redirection === 'final') return { result: await read({ url, answer, hop }) }
      hop.location = redirection.next.href
      return redirection
    })
  } catch (error) {
    hop.failure = error instanceof FetchError ? error.reason : String(error)
    throw error
  }
}

function headersFor(userAgent: string, cookie: string): Record<string, string> {
  return {
    'User-Agent': userAgent,
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language': 'en-US,en;q=0.9,*;q=0.5',
    'Accept-Encoding': ACCEPT_ENCODING,
    ...(cookie && { Cookie: cookie }),
  }
}

function tooManyRedirects(): FetchError {
  return new FetchError('too_many_redirects', 'too many redirects')
}
