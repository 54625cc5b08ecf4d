import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

import { textOf } from '../../net/header-fields.ts'
import { siteOf } from '../../sites/sites.ts'
import { parseUrl } from '../../web-url.ts'
import type { Metadata } from '../fields/metadata.ts'
import type { BodyStats } from '../reading/body-stats.ts'
import { isAddressOf } from './page-addresses.ts'
import type { Page } from './page.ts'
import { scriptRedirect } from './script-redirect.ts'

/** The maximum number of visible characters on a page that only redirects. */
const MAX_REDIRECT_PAGE_TEXT = 200

/** With a longer delay, people are meant to read the page first. */
const MAX_REDIRECT_DELAY_S = 5

/** The maximum number of bytes of a script to search for `location`. Scripts that redirect have one line. */
const MAX_SCRIPT_BYTES = 4_096

/** The maximum number of scripts of a page that only redirects. */
const MAX_REDIRECT_SCRIPTS = 2

/** The maximum number of bytes of a link shortener's page to search for its link. Such pages are smaller. */
const MAX_SEARCHED_BYTES = 131_072

const LINK = /<a\s[^<>]*>/gi

/** `href` of a start tag, in quotes. */
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i

/** The maximum number of bytes of a page whose addresses in the text are not counted. */
const MAX_REDIRECT_PAGE_BYTES = 16_384

const TAG = /<[^<>]*>/g

/** Fields that a page without content may have: a title like "Redirecting…", and fields that describe no content. */
const REDIRECT_PAGE_FIELDS: ReadonlySet<string> = new Set(['title', 'locale', 'favicon', 'canonical_url'])

/** Fields of the site, which are also in the head of a page that redirects immediately. */
const SITE_FIELDS: ReadonlySet<string> = new Set(['description', 'site_name', 'type'])

/** With a longer delay, people see the page. */
const MAX_IMMEDIATE_DELAY_S = 1

/**
 * The target of a page that redirects: by the link of a link shortener, or by a refresh or script on an otherwise empty
 * page.
 * @param header the Refresh header
 */
export function refreshOf(page: Page, metadata: Metadata, body: BodyStats, header: string | null): URL | null {
  return (
    shortLinkTargetOf(page) ??
    streamedRedirectOf(page) ??
    declaredRefreshOf(page, metadata, body, header) ??
    scriptRefreshOf(page, metadata, body)
  )
}

/** The target of a response that has a Refresh header and no body; null if it does not redirect. */
export function emptyPageRefreshOf(header: string | null, from: URL): URL | null {
  const refresh = header === null ? null : parseRefresh(textOf(header))
  if (refresh === null || refresh.delaySeconds > MAX_REDIRECT_DELAY_S) return null
  return parseUrl(refresh.address, from.href)
}

/** The link to another host on a page that a link shortener sends instead of a redirect; undefined on other pages. */
function shortLinkTargetOf(page: Page): URL | undefined {
  const marker = siteOf(page.url.hostname, []).targetLinkMarker
  if (marker === undefined) return undefined
  const html = page.reader.raw({ start: 0, end: page.harvest.end }, MAX_SEARCHED_BYTES)
  for (const [tag] of html.matchAll(LINK)) {
    const [, double, single] = HREF.exec(tag) ?? []
    const url = tag.includes(marker) ? page.resolveUrl(decodeHTMLAttribute(double ?? single ?? '')) : undefined
    if (url !== undefined && url.host !== page.url.host) return url
  }
  return undefined
}

/**
 * The target of a redirect that a framework has written into a page because its head had been sent: by Next.js as a
 * refresh with an id, by SolidStart as a script behind `</html>`. The page has the content and metadata of the layout.
 */
function streamedRedirectOf(page: Page): URL | undefined {
  const { refreshes, scriptAfterEnd } = page.harvest
  const refresh = refreshes.find(({ isStreamed }) => isStreamed)
  const address =
    refresh === undefined
      ? scriptAfterEnd && scriptRedirect(page.reader.raw(scriptAfterEnd, MAX_SCRIPT_BYTES))
      : parseRefresh(page.reader.attribute(refresh.content))?.address
  const url = page.resolveUrl(address ?? '')
  // A reload would return the same page.
  return url === undefined || url.href === page.url.href ? undefined : url
}

/** The target of the Refresh header or of `<meta http-equiv="refresh">`, which have the same syntax. */
function declaredRefreshOf(page: Page, metadata: Metadata, body: BodyStats, header: string | null): URL | null {
  const declared = page.harvest.refreshes.map(({ content, isInNoscript }) => ({
    text: page.reader.attribute(content),
    isInNoscript,
  }))
  if (header !== null) declared.unshift({ text: textOf(header), isInNoscript: false })
  for (const { text, isInNoscript } of declared) {
    const refresh = parseRefresh(text)
    if (refresh === null) continue
    const url = refresh.address === '' ? page.url : page.resolveUrl(refresh.address)
    if (url === undefined) continue
    const isRedirect =
      refresh.delaySeconds <= MAX_REDIRECT_DELAY_S &&
      isEmpty(page, metadata, body, url, refresh.delaySeconds <= MAX_IMMEDIATE_DELAY_S) &&
      (!isInNoscript || scriptRedirects(page, url))
    return isRedirect ? url : null
  }
  return null
}

function scriptRefreshOf(page: Page, metadata: Metadata, body: BodyStats): URL | null {
  const { scripts, loadScript } = page.harvest
  if (scripts.length > MAX_REDIRECT_SCRIPTS) return null
  const sources = scripts.map((script) => page.reader.raw(script, MAX_SCRIPT_BYTES))
  if (loadScript !== null) sources.push(page.reader.attribute(loadScript))
  for (const source of sources) {
    const address = scriptRedirect(source)
    const url = page.resolveUrl(address ?? '')
    if (url === undefined) continue
    // A reload would return the same page.
    return url.href !== page.url.href && isEmpty(page, metadata, body, url, true) ? url : null
  }
  return null
}

/** Whether the page has no content and no metadata except fields that a redirecting page may have. */
function isEmpty(page: Page, metadata: Metadata, body: BodyStats, target: URL, isImmediate: boolean): boolean {
  if (page.harvest.hasOpenGraph) return false
  if (body.textLength > MAX_REDIRECT_PAGE_TEXT && textBesideAddresses(page, target) > MAX_REDIRECT_PAGE_TEXT)
    return false
  // The empty shell of an application has no content either.
  if (body.mountPoint !== null) return false
  const isOfRedirect = (field: string) => REDIRECT_PAGE_FIELDS.has(field) || (isImmediate && SITE_FIELDS.has(field))
  if (!Object.keys(metadata).every(isOfRedirect)) return false
  const canonical = metadata.canonical_url
  return canonical === undefined || isAddressOf([target])(new URL(canonical)) === true
}

/** The number of characters of a small page's text without the addresses in it: "Redirecting from … to …". */
function textBesideAddresses(page: Page, target: URL): number {
  const { end } = page.harvest
  if (end > MAX_REDIRECT_PAGE_BYTES) return Infinity
  const text = decodeHTML(page.reader.raw({ start: 0, end }, MAX_REDIRECT_PAGE_BYTES).replace(TAG, ' '))
  const addresses = [target, page.url].flatMap((url) => [url.href, url.pathname + url.search])
  return addresses
    .filter((address) => address !== '/')
    .reduce((rest, address) => rest.replaceAll(address, ''), text)
    .replace(/\s+/g, ' ').length
}

/**
 * Whether a script redirects too. A refresh inside noscript usually leads to a page that asks for JavaScript. Link
 * shorteners use such a refresh as a fallback for a script that assigns `location` to the URL of another site.
 */
function scriptRedirects(page: Page, target: URL): boolean {
  if (target.host === page.url.host) return false
  return page.harvest.scripts.some((script) => page.reader.raw(script, MAX_SCRIPT_BYTES).includes('location'))
}

/**
 * `0; URL='/next'`. `address` is '' for a page that reloads itself. https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
 */
export function parseRefresh(content: string): { delaySeconds: number; address: string } | null {
  // Fractions are dropped: `.5` is 0.
  const [, seconds, rest = ''] = /^\s*(\d{1,9}|(?=\.))[\d.]*(.*)$/s.exec(content) ?? []
  if (seconds === undefined || !/^(?:[;,\s]|$)/.test(rest)) return null
  const target = rest.trim().replace(/^[;,]/, '').trim()
  // React Router escapes `&` in prerendered redirects as in JSON, and its client reads it so.
  const address = unquoted(target.replace(/^url\s*=\s*/i, '')).replaceAll('\\u0026', '&')
  return { delaySeconds: Number(seconds), address }
}

/** A quoted address ends at the closing quote, or at the end of the text. */
function unquoted(text: string): string {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return text
  const end = text.indexOf(quote, 1)
  return text.slice(1, end < 0 ? undefined : end)
}
