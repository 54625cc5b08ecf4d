import { FetchError } from '../../core/errors.ts'
import { redirectionOf } from '../../core/net/redirect.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import { type LanguageChoice, languageFor, operatorSiteOf, secretsOf, siteOf } from '../../core/sites/sites.ts'
import { type FetchTrace, type Hop, startHop } from '../../core/fetch/trace.ts'
import { cookieNameOf, cookieNames, createHostCookies, type HostCookies } from './host-cookies.ts'
import { ACCEPT_ENCODING } from '../response/inflate.ts'
import type { Requester } from './requester.ts'
import type { HttpResponse } from '../response/http-response.ts'
import type { Caller } from '../../core/fetch/ports.ts'

const ACCEPT_PAGES = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** The state that the requests of one redirect chain share. */
export interface RedirectChain extends LanguageChoice {
  readonly send: Requester
  readonly signal: AbortSignal
  /** Null without a caller, for example when a certificate is fetched for a webhook. */
  readonly caller: Caller | null
  readonly trace: FetchTrace
  readonly cookies: HostCookies
  readonly userAgent: string
  /** The Accept header; a browser's by default. */
  readonly accept?: string
  /** The rules for sites that may replace `userAgent`; by default the operator's rules. */
  readonly userAgentRules?: 'none' | 'operator' | 'all'
  /** Whether a request before this chain was encrypted. */
  readonly isAfterHttps?: boolean
  redirectsLeft: number
  /** The requests sent so far, to detect loops. */
  readonly sent: string[]
}

/** The settings that all redirect chains of a fetcher share. */
export interface ChainSettings extends Pick<RedirectChain, 'send' | 'userAgent' | 'userAgentRules' | 'acceptLanguage'> {
  settings: CurrentSettings<'sites'>
  /** Aborts when the fetcher is closed. */
  closing: AbortSignal
}

export interface FinalResponse {
  url: URL
  response: HttpResponse
  status: number
  hop: Hop
}

export function startRedirectChain(start: Omit<RedirectChain, 'cookies' | 'sent'>): RedirectChain {
  return { ...start, cookies: createHostCookies(), sent: [] }
}

/**
 * GETs `url` and follows its redirects. The guard decides on each hop; only the last response is read.
 * @throws FetchError, the signal's reason, or any error of `read`
 */
export async function followRedirects<T>(
  chain: RedirectChain,
  url: URL,
  by: Hop['by'],
  read: (final: FinalResponse) => Promise<T>,
): Promise<T> {
  const isRedirect = by === 'redirect' || by === 'refresh'
  if (isRedirect && chain.redirectsLeft-- === 0) throw new FetchError('too_many_redirects')
  const outcome = await requestHop(chain, url, by, read)
  return 'next' in outcome ? followRedirects(chain, outcome.next, 'redirect', read) : outcome.result
}

async function requestHop<T>(
  chain: RedirectChain,
  url: URL,
  by: Hop['by'],
  read: (final: FinalResponse) => Promise<T>,
): Promise<{ next: URL } | { result: T }> {
  const { send, signal, caller, trace, cookies, sent } = chain
  const secrets = secretsFor(chain, url)
  const userAgent = userAgentFor(chain, url)
  const cookie = cookieHeader(cookies.headerFor(url), secrets)
  // A site may set a cookie and redirect to the same URL; only the same request is a loop. A request that redirects to
  // itself is repeated once, because some sites accept only a client's second request.
  const identity = identityOf(url, cookie, userAgent)
  const isSecondTry = by === 'redirect' && sent.at(-1) === identity && sent.at(-2) !== identity
  if (sent.includes(identity) && !isSecondTry) throw new FetchError('too_many_redirects')
  sent.push(identity)

  const isDowngrade = url.protocol === 'http:' && trace.hops.at(-1)?.url.startsWith('https:') === true
  const hop = { ...startHop(url, by), isDowngrade, cookiesSent: cookieNames(cookie) }
  trace.hops.push(hop)
  try {
    const headers = { ...headersFor(chain, url, userAgent, cookie), ...secrets.headers }
    return await send({ url, headers, caller, hop, signal }, async (response) => {
      hop.cookiesSet = cookies.keep(response.fields, url)
      const status = hop.status!
      // 304 is only valid for conditional requests (RFC 9110 section 15.4.5), which are not sent.
      if (status === 304) throw new FetchError('invalid_response')
      const redirection = redirectionOf(status, response.fields.get('location') ?? [], url)
      if (redirection === 'invalid') throw new FetchError('invalid_redirect')
      if (redirection === 'final') return { result: await read({ url, response, status, hop }) }
      hop.location = redirection.next.href
      return redirection
    })
  } catch (error) {
    hop.failure = error instanceof FetchError ? error.reason : String(error)
    throw error
  }
}

/** Whether the chain has already requested this URL with the same cookies. */
export function wasSent(chain: RedirectChain, url: URL): boolean {
  const cookie = cookieHeader(chain.cookies.headerFor(url), secretsFor(chain, url))
  return chain.sent.includes(identityOf(url, cookie, userAgentFor(chain, url)))
}

function identityOf({ href }: URL, cookie: string, userAgent: string): string {
  return [href, cookie, userAgent].join('\n')
}

/** The headers and cookies that rules for sites add to a request. None over plain HTTP after an encrypted hop. */
function secretsFor({ sites, trace, isAfterHttps = false }: RedirectChain, url: URL) {
  const isDowngraded = url.protocol === 'http:' && (isAfterHttps || hasHttpsHop(trace.hops))
  return secretsOf(url, isDowngraded ? [] : sites)
}

export function hasHttpsHop(hops: readonly Hop[]): boolean {
  return hops.some(({ url }) => url.startsWith('https:'))
}

function userAgentFor({ userAgent, userAgentRules = 'operator', sites }: RedirectChain, { hostname }: URL): string {
  if (userAgentRules === 'none') return userAgent
  const site = userAgentRules === 'all' ? siteOf(hostname, sites) : operatorSiteOf(hostname, sites)
  return site.userAgent ?? userAgent
}

/**
 * Adds cookies from the rules for a site to the cookies that the site has set. `cookies` do not replace the site's own,
 * because the site may have renewed a session. `consentCookies` replace them, unless the operator has a cookie of the
 * same name.
 */
function cookieHeader(stored: string, { cookies, consentCookies }: ReturnType<typeof secretsOf>): string {
  const consent = Object.entries(consentCookies).filter(([name]) => !Object.hasOwn(cookies, name))
  const replaced = new Set(consent.map(([name]) => name))
  const kept = stored.split('; ').filter((pair) => pair !== '' && !replaced.has(cookieNameOf(pair)))
  const names = new Set(kept.map(cookieNameOf))
  const added = Object.entries(cookies).filter(([name]) => !names.has(name))
  return [...kept, ...[...added, ...consent].map(([name, value]) => `${name}=${value}`)].join('; ')
}

function headersFor(chain: RedirectChain, { hostname }: URL, userAgent: string, cookie: string) {
  return {
    'User-Agent': userAgent,
    Accept: chain.accept ?? ACCEPT_PAGES,
    'Accept-Language': languageFor(hostname, chain),
    'Accept-Encoding': ACCEPT_ENCODING,
    ...(cookie && { Cookie: cookie }),
  }
}
