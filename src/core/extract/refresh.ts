import type { Metadata } from '../metadata.ts'
import type { BodyMeasure } from './body-gauge.ts'
import { OwnAddress } from './own-address.ts'
import type { Page } from './page.ts'

/** Characters of visible text up to which a page is only there to send its visitors on. */
const MAX_TEXT_OF_A_HOP = 200

/** A delay beyond which a page means to be read before it is left. */
const MAX_DELAY_OF_A_HOP_SECONDS = 5

/** Bytes of a script in which its target is sought: such scripts are a line. */
const MAX_SCRIPT_BYTES = 4_096

/** A `meta http-equiv=refresh` that leads elsewhere. */
export interface Refresh {
  delaySeconds: number
  url: URL
  /** Whether the page is nothing but this hop: it comes at once and there is nothing else to read. */
  isHop: boolean
}

/** What a page may say that only leads on: a title as "Redirecting…", and what says nothing of its content. */
const FIELDS_OF_A_HOP: ReadonlySet<string> = new Set(['title', 'locale', 'favicon', 'canonical_url'])

/** The first refresh of a page that names another address. */
export function refreshOf(page: Page, metadata: Metadata, body: BodyMeasure): Refresh | null {
  for (const { content, isInNoscript } of page.harvest.refreshes) {
    const refresh = parseRefresh(page.reader.attribute(content))
    if (refresh === null) continue
    const { delaySeconds, address } = refresh
    const href = page.resolve(address)
    if (href === undefined) continue
    const url = new URL(href)
    const isHop =
      delaySeconds <= MAX_DELAY_OF_A_HOP_SECONDS &&
      isEmpty(page, metadata, body, url) &&
      (!isInNoscript || scriptsLeadOn(page, url))
    return { delaySeconds, url, isHop }
  }
  return null
}

/** Whether there is nothing on the page, and nothing about it, but where it leads. */
function isEmpty(page: Page, metadata: Metadata, body: BodyMeasure, target: URL): boolean {
  if (body.textLength > MAX_TEXT_OF_A_HOP || page.harvest.hasOpenGraph) return false
  // A shell that scripts fill looks as empty.
  if (body.mountPoint !== null) return false
  if (Object.keys(metadata).some((field) => !FIELDS_OF_A_HOP.has(field))) return false
  const canonical = metadata.canonical_url
  return canonical === undefined || new OwnAddress([target]).matches(new URL(canonical)) === true
}

/**
 * What noscript holds is for visitors without scripts: mostly it leads to a page that asks for them. Short links lead
 * there with it where their script leads all others: to another site, and by assigning its location.
 */
function scriptsLeadOn(page: Page, target: URL): boolean {
  if (target.host === page.url.host) return false
  return page.harvest.scripts.some((script) => page.reader.raw(script, MAX_SCRIPT_BYTES).includes('location'))
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
