import { decodeHTMLAttribute } from 'entities/decode'

import { siteOf } from '../../sites/sites.ts'
import type { Page } from './page.ts'

/** The maximum number of bytes to search. Pages that only link to another site are smaller. */
const MAX_SEARCHED_BYTES = 131_072

const LINK = /<a\s[^<>]*>/gi

/** `href` of a start tag, in quotes. */
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i

/** The link to another host on a page that a link shortener sends instead of a redirect; undefined on other pages. */
export function shortLinkTargetOf(page: Page): string | undefined {
  const marker = siteOf(page.url.hostname, []).targetLinkMarker
  if (marker === undefined) return undefined
  const html = page.reader.raw({ start: 0, end: page.harvest.end }, MAX_SEARCHED_BYTES)
  for (const [tag] of html.matchAll(LINK)) {
    const [, double, single] = HREF.exec(tag) ?? []
    const href = tag.includes(marker) ? page.resolve(decodeHTMLAttribute(double ?? single ?? '')) : undefined
    if (href !== undefined && new URL(href).host !== page.url.host) return href
  }
  return undefined
}
