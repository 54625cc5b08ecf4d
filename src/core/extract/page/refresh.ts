import { decodeHTMLAttribute } from 'entities/decode'

import { siteOf } from '../../sites/sites.ts'
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

/** Fields that a page without content may have: a title like "Redirecting…", and fields that describe no content. */
const REDIRECT_PAGE_FIELDS: ReadonlySet<string> = new Set(['title', 'locale', 'favicon', 'canonical_url'])

/** The target of a page that redirects: by the link of a link shortener, or by a refresh or script on an otherwise empty page. */
export function refreshOf(page: Page, metadata: Metadata, body: BodyStats): URL | null {
  return shortLinkTargetOf(page) ?? metaRefreshOf(page, metadata, body) ?? scriptRefreshOf(page, metadata, body)
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

function metaRefreshOf(page: Page, metadata: Metadata, body: BodyStats): URL | null {
  for (const { content, isInNoscript } of page.harvest.refreshes) {
    const refresh = parseRefresh(page.reader.attribute(content))
    if (refresh === null) continue
    const url = page.resolveUrl(refresh.address)
    if (url === undefined) continue
    const isRedirect =
      refresh.delaySeconds <= MAX_REDIRECT_DELAY_S &&
      isEmpty(page, metadata, body, url) &&
      (!isInNoscript || scriptRedirects(page, url))
    return isRedirect ? url : null
  }
  return null
}

function scriptRefreshOf(page: Page, metadata: Metadata, body: BodyStats): URL | null {
  const { scripts } = page.harvest
  if (scripts.length > MAX_REDIRECT_SCRIPTS) return null
  for (const script of scripts) {
    const address = scriptRedirect(page.reader.raw(script, MAX_SCRIPT_BYTES))
    const url = page.resolveUrl(address ?? '')
    if (url === undefined) continue
    // A reload would return the same page.
    return url.href !== page.url.href && isEmpty(page, metadata, body, url) ? url : null
  }
  return null
}

/** Whether the page has no content and no metadata except fields that a redirecting page may have. */
function isEmpty(page: Page, metadata: Metadata, body: BodyStats, target: URL): boolean {
  if (body.textLength > MAX_REDIRECT_PAGE_TEXT || page.harvest.hasOpenGraph) return false
  // The empty shell of an application looks the same.
  if (body.mountPoint !== null) return false
  if (Object.keys(metadata).some((field) => !REDIRECT_PAGE_FIELDS.has(field))) return false
  const canonical = metadata.canonical_url
  return canonical === undefined || isAddressOf([target])(new URL(canonical)) === true
}

/**
 * Whether a script redirects too. A refresh inside noscript usually leads to a page that asks for JavaScript. Link
 * shorteners use it as a fallback for a script that assigns `location` to the URL of another site.
 */
function scriptRedirects(page: Page, target: URL): boolean {
  if (target.host === page.url.host) return false
  return page.harvest.scripts.some((script) => page.reader.raw(script, MAX_SCRIPT_BYTES).includes('location'))
}

/** `0; URL='/next'`: https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps */
export function parseRefresh(content: string): { delaySeconds: number; address: string } | null {
  // Fractions are dropped: `.5` is 0.
  const [, seconds, rest = ''] = /^\s*(\d{1,9}|(?=\.))[\d.]*(.*)$/s.exec(content) ?? []
  if (seconds === undefined || !/^(?:[;,\s]|$)/.test(rest)) return null
  const target = rest.trim().replace(/^[;,]/, '').trim()
  const address = unquoted(target.replace(/^url\s*=\s*/i, ''))
  return address === '' ? null : { delaySeconds: Number(seconds), address }
}

/** A quoted address ends at the closing quote, or at the end of the text. */
function unquoted(text: string): string {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return text
  const end = text.indexOf(quote, 1)
  return text.slice(1, end < 0 ? undefined : end)
}
