import type { Page } from './page.ts'
import type { BodyMeasure } from './body-gauge.ts'

/** Characters of visible text up to which a page is only there to send its visitors on. */
const MAX_TEXT_OF_A_HOP = 200

/** A delay beyond which a page means to be read before it is left. */
const MAX_DELAY_OF_A_HOP_SECONDS = 5

/** A `meta http-equiv=refresh` that leads elsewhere. */
export interface Refresh {
  delaySeconds: number
  url: URL
  /** Whether the page is nothing but this hop: it comes at once and there is nothing else to read. */
  isHop: boolean
}

/** The first refresh of a page that names another address. */
export function refreshOf(page: Page, body: BodyMeasure): Refresh | null {
  const isEmpty = body.textLength <= MAX_TEXT_OF_A_HOP && !page.harvest.hasOpenGraph
  for (const { content, isInNoscript } of page.harvest.refreshes) {
    const refresh = parseRefresh(page.reader.attribute(content))
    if (refresh === null) continue
    const { delaySeconds, address } = refresh
    const href = page.resolve(address)
    if (href === undefined) continue
    const url = new URL(href)
    // Within a site, noscript leads to a page that asks for scripts. Short links lead elsewhere with it.
    const isFallback = isInNoscript && url.host === page.url.host
    return { delaySeconds, url, isHop: isEmpty && !isFallback && delaySeconds <= MAX_DELAY_OF_A_HOP_SECONDS }
  }
  return null
}

/**
 * Takes `0; URL='/next'` apart.
 * Source: https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
 */
export function parseRefresh(content: string): { delaySeconds: number; address: string } | null {
  // Fractions are dropped, so that `.5` is 0.
  const match = /^\s*(\d{1,9}|(?=\.))[\d.]*(.*)$/s.exec(content)
  if (match === null) return null
  const delaySeconds = Number(match[1])
  const rest = match[2]!
  if (rest !== '' && !/^[;,\s]/.test(rest)) return null
  const address = unquoted(afterUrlMark(rest.trim().replace(/^[;,]/, '').trim()))
  return address === '' ? null : { delaySeconds, address }
}

/** `URL = x` and `x` mean the same. */
function afterUrlMark(text: string): string {
  return text.replace(/^url\s*=\s*/i, '')
}

/** A quoted address ends at its second quote, or at the end. */
function unquoted(text: string): string {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return text
  const end = text.indexOf(quote, 1)
  return text.slice(1, end < 0 ? undefined : end)
}
