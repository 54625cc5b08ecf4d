import { isPublicHost } from '../../net/egress.ts'
import { isLocalName } from '../../net/local-name.ts'
import { decodedAmpersands, isSiteRoot, parseWebUrl } from '../../web-url.ts'
import { MAX_URL_CHARACTERS } from '../../limits.ts'
import { isPlaceholder } from '../reading/placeholder.ts'

/**
 * Variables that a build or a server should have replaced: `%PUBLIC_URL%` (Create React App), `<%= BASE_URL %>` (Vue),
 * `%sveltekit.assets%`, `{{ … }}`, `${…}`, `$BASE_URL/`, `<?php … ?>`, `{% … %}`.
 */
const UNFILLED = /%[A-Z][A-Z_]{2,}%|%sveltekit\.|<[%?]|\{[{%]|\$\{|^\$[A-Z][A-Z_]+\//

/** Characters that every template, list and value to mend has, and no plain address. Checked first. */
const UNUSUAL = /[\s%<{$,&[]|^(?!https?:\/\/[^/])|:\/\/https?:/i

/** What programs print for a missing value, as the last segment of a path. */
const MISSING = /(?:^|\/)(?:undefined|null|NaN|\[object%20Object\]|Array)\/?$/

/** A list of URLs in one value. A URL inside a path is no list. */
const LIST = /[,\s]\s*https?:\/\//i

/** A scheme before another one, without a colon or without a slash. */
const BROKEN_SCHEMES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^https?:\/\/(?=https?:\/\/)/i, ''],
  [/^(https?)\/\/(?=[^/])/i, '$1://'],
]

/** The host of a page, and the URL against which its addresses are resolved. */
export interface AddressContext {
  url: URL
  baseUrl: string
}

/**
 * The http(s) URL that an address on a page means, if somebody else can open it. Undefined for a template that was not
 * filled in, for a missing value, for a list, for a URL that is too long, and for a host of a private network unless the
 * page itself is on one.
 */
export function usableAddress(written: string, { url: page, baseUrl }: AddressContext): URL | undefined {
  const text = written.trim()
  const isUnusual = UNUSUAL.test(text)
  if (text.length > MAX_URL_CHARACTERS || (isUnusual && isUnfilled(text))) return undefined
  const url = parseWebUrl(isUnusual ? mended(text, page) : text, baseUrl)
  if (url === null || url.href.length > MAX_URL_CHARACTERS) return undefined
  if (MISSING.test(url.pathname) && url.pathname !== page.pathname) return undefined
  const isElsewhere = url.hostname !== page.hostname
  return isElsewhere && !canBeOpened(url.hostname) && canBeOpened(page.hostname) ? undefined : url
}

function isUnfilled(text: string): boolean {
  return UNFILLED.test(text) || isPlaceholder(text) || LIST.test(text)
}

/** Removes what breaks an address although its meaning is clear. */
function mended(text: string, page: URL): string {
  const address = BROKEN_SCHEMES.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
  const plain = decodedAmpersands(address)
  // `www.example.com/a.png` on that host.
  const start = plain.slice(0, plain.indexOf('/')).toLowerCase()
  const isHost = start.includes('.') && (start === page.host || start === `www.${page.host}`)
  return isHost ? `${page.protocol}//${plain}` : plain
}

/** Whether a URL's host can exist outside of a private network. */
function canBeOpened(hostname: string): boolean {
  // The URL parser writes every IPv4 address in decimal, so a host that ends in a letter is a name.
  if (/[a-z]$/.test(hostname)) return hostname.includes('.') && !isLocalName(hostname)
  return isPublicHost(hostname) && (hostname.includes('.') || hostname.startsWith('['))
}

/** Whether a URL is the page itself, or the root of a site, which are neither images nor icons. */
export function isPageOrRoot(url: URL, page: URL): boolean {
  return isSiteRoot(url) || (url.host === page.host && url.pathname === page.pathname && url.search === page.search)
}
