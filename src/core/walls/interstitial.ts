import { decodeHTML } from 'entities/decode'

import challenges from './challenges.json'
import { isConsentAddress, isConsentHost, isConsentNotice } from './consent.ts'
import type { BodyStats } from '../extract/reading/body-stats.ts'
import type { Range } from '../extract/reading/range.ts'
import type { Page } from '../extract/page/page.ts'

/** The vendor of a bot challenge. Challenges of Kasada and Shape are only recognized by headers. */
export type ChallengeVendor = keyof typeof challenges.vendors | 'kasada' | 'shape'

/**
 * Pages sent instead of the requested page: a bot challenge, by vendor, a consent page or a login page. A closed set
 * that the rules, the log and the tests share. `pageWallOf` recognizes them by the page's content; `wallOf` in walls.ts
 * also applies the rules for headers (bot-defenses.ts), sites (site-walls.ts) and login pages (login-wall.ts).
 */
export type Interstitial = ChallengeVendor | 'consent' | 'login'

/** Challenges of all vendors are one kind, because they are treated in the same way. */
export type WallKind = Exclude<Interstitial, ChallengeVendor> | 'challenge'

export function wallKindOf(interstitial: Interstitial): WallKind {
  if (interstitial === 'consent' || interstitial === 'login') return interstitial
  interstitial satisfies ChallengeVendor
  return 'challenge'
}

/** The signs of one vendor's challenge. Titles and words are in lower case. */
interface Challenge {
  /**
   * Code that only the challenge has. This code is sufficient without a title, which may be the site's name or in any
   * language.
   */
  certainCode?: readonly string[]
  /**
   * Exact titles. A page with one of these titles must also have the `code`, which other pages may have too, or the
   * `words`.
   */
  titles: readonly string[]
  code?: readonly string[]
  words?: readonly string[]
}

/** The maximum number of visible characters. A longer page with a challenge's title is an article. */
const MAX_TEXT = 1_500

/** The limit for a page without a challenge's title. Challenges have a sentence or two and an incident number. */
const MAX_TEXT_WITHOUT_TITLE = 500

/** The maximum number of bytes of scripts or text to search for signs of a challenge. Challenges have fewer. */
const MAX_JOINED_BYTES = 65_536

/** Descriptions that a challenge can have. Only HUMAN's challenges have a description. */
const CHALLENGE_DESCRIPTIONS: ReadonlySet<string> = new Set(['', 'px-captcha'])

/** Words in challenges of several vendors. On a nearly empty page with scripts, these words confirm the title. */
const COMMON_WORDS = challenges.commonWords

/**
 * In order of precedence. `captcha-delivery.com` is only in DataDome's challenges, because its scripts on ordinary
 * pages are at js.datadome.co. `/hcdn-cgi/jschallenge` is Hostinger's, and `_fs-ch-` is FullStory's.
 */
const CHALLENGES = Object.entries<Challenge>(challenges.vendors) as [name: ChallengeVendor, challenge: Challenge][]

/**
 * Recognizes an interstitial by the page's content alone; null for any other page.
 * @param title the text of the title element
 * @param description the extracted `description`, or ''
 */
export function pageWallOf(page: Page, title: string, description: string, body: BodyStats): Interstitial | null {
  const { url, harvest } = page
  if (isConsentHost(url)) return 'consent'
  // Articles about consent have og: tags.
  if (!harvest.hasOpenGraph && isConsentAddress(url)) return 'consent'
  const { textLength, mountPoint } = body
  // Challenges have neither og: tags nor a description, and little text.
  const isDescribed = harvest.hasOpenGraph || !CHALLENGE_DESCRIPTIONS.has(description)
  if (isDescribed || textLength > MAX_TEXT) return null
  if (isConsentNotice([title, ...joined(page, body.texts).split('\n')])) return 'consent'
  const comparable = title.toLowerCase().replace('…', '...')
  const titled = CHALLENGES.find(([, { titles }]) => titles.includes(comparable))
  if (titled !== undefined && isConfirmed(titled[1], page, body)) return titled[0]
  // A page with a mount point is an application, regardless of its scripts.
  if (textLength > MAX_TEXT_WITHOUT_TITLE || mountPoint !== null) return null
  const code = codeOf(page)
  return CHALLENGES.find(([, { certainCode }]) => includesAny(code, certainCode))?.[0] ?? null
}

/** Whether a page with a challenge's title also has its code or words. */
function isConfirmed({ certainCode, code, words }: Challenge, page: Page, body: BodyStats): boolean {
  const ran = codeOf(page)
  if (includesAny(ran, certainCode) || includesAny(ran, code)) return true
  const text = joined(page, body.texts).toLowerCase()
  const isNearlyEmpty = body.textLength <= MAX_TEXT_WITHOUT_TITLE && body.scriptCount > 0
  return includesAny(text, words) || (isNearlyEmpty && includesAny(text, COMMON_WORDS))
}

/**
 * The URLs and texts of the page's scripts and frames. Resources that the page only links, preloads or allows are not
 * included.
 */
function codeOf(page: Page): string {
  return joined(page, [...page.harvest.scripts, ...page.harvest.frames])
}

/** The text of several ranges of a page, separated by line breaks. */
function joined({ reader }: Page, ranges: readonly Range[]): string {
  let bytesLeft = MAX_JOINED_BYTES
  const parts: string[] = []
  for (const range of ranges) {
    if (bytesLeft <= 0) break
    parts.push(reader.raw(range, bytesLeft))
    bytesLeft -= range.end - range.start
  }
  return decodeHTML(parts.join('\n'))
}

function includesAny(text: string, marks: readonly string[] = []): boolean {
  return marks.some((mark) => text.includes(mark))
}
