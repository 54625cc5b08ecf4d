import { type FetchTrace, type Hop, publicTrace } from './trace.ts'

/** Replaces private hosts. No name ends in `.invalid` (RFC 2606). */
const HIDDEN_HOST = 'private.invalid'

const URL_IN_TEXT = /(?:https?:)?\/\/[^\s"'<>]+/gi

/**
 * Copies what a fetch has found, for users who are not operators: plain data with the trace in it. Without private addresses,
 * which would disclose the service's network, and without the private hosts to which the requested URL led, in any value: a
 * final URL, a tag, or the URL of an icon. If the page is on such a host, only hosts that the trace shows to be public are kept.
 */
export function publicCopy<T extends object>(found: T, trace: FetchTrace | null | undefined): T {
  const hops = [...(trace?.hops ?? []), ...(trace?.oembed?.hops ?? [])]
  const requested = hostOf(hops[0]?.url)
  const isHidden = (hop?: Hop) => hop !== undefined && isPrivate(hop) && hostOf(hop.url) !== requested
  const hidden = hops.filter(isHidden)
  const hosts = new Set(hidden.map(({ url }) => hostOf(url)))
  const others = isHidden(trace?.hops.at(-1)) ? new Set(hops.map(({ url }) => hostOf(url))) : null
  const isShown = (host: string) => !hosts.has(host) && others?.has(host) !== false
  const names = [...hosts, ...hidden.flatMap(({ addresses }) => addresses.map(({ address }) => address))]
  const name = new RegExp(
    names
      .filter((each) => each !== requested)
      .map(namePattern)
      .join('|'),
    'gi',
  )
  const shownText = (text: string) =>
    text
      .replace(URL_IN_TEXT, (url) => (isShown(hostOf(url)) ? url : `http://${HIDDEN_HOST}/`))
      .replace(name, HIDDEN_HOST)
  return JSON.parse(JSON.stringify(found), (_, part) => {
    if (typeof part === 'string') return hidden.length > 0 ? shownText(part) : part
    return part?.hops ? publicTrace(part) : part
  })
}

/** Refused hops disclose only what the site has sent. */
const isPrivate = ({ addresses, refusal }: Hop) =>
  refusal === undefined && addresses.some(({ verdict }) => verdict !== 'public')

const hostOf = (url = '') => URL.parse(url, 'http://-')?.hostname ?? ''

/** A name without dots may be any word, unless it is the host of a URL. */
const namePattern = (name: string) =>
  (/[.:]/.test(name) ? '' : '(?<=//|%2F%2F|\\\\/)') + RegExp.escape(name) + (/\w$/.test(name) ? '\\b' : '')
