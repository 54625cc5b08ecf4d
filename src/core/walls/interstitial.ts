import { isConsentAddress, isConsentHost } from './consent.ts'
import type { BodyStats } from '../extract/reading/body-stats.ts'

/** Who sends a bot challenge. */
export type ChallengeVendor =
  | 'cloudflare'
  | 'vercel'
  | 'datadome'
  | 'human'
  | 'akamai'
  | 'aws_waf'
  | 'imperva'
  | 'sucuri'
  | 'ddos_guard'
  | 'anubis'
  | 'kasada'
  | 'shape'
  | 'other_challenge'

/**
 * Pages sent instead of the requested one: a bot challenge, by vendor, a consent page or a login page. A closed set that
 * the rules, the log and the tests share. `pageWallOf` recognizes them by the page's content; `wallOf` in walls.ts
 * combines it with the rules for headers (bot-defenses.ts), single sites (site-walls.ts) and login pages
 * (login-wall.ts).
 */
export type Interstitial = ChallengeVendor | 'consent' | 'login'

/** The parts of a page that `pageWallOf` uses. */
export interface InterstitialInput {
  url: URL
  /** Text of the title element. */
  title: string
  /** The `description` that was extracted, or ''. */
  description: string
  hasOpenGraph: boolean
  body: BodyStats
  /** URLs and texts of the page's scripts and frames, but not of resources that it only links, preloads or allows. */
  code(): string
  /** Its visible text. */
  text(): string
}

/** How one vendor's challenge is recognized; titles and words in lower case. */
interface Challenge {
  name: Interstitial
  /** Code that only the challenge has. Sufficient without a title, which may be the site's name or in any language. */
  certainCode?: readonly string[]
  /** Exact titles. A page with one must also have the `code`, which other pages may have too, or the `words`. */
  titles: readonly string[]
  code?: readonly string[]
  words?: readonly string[]
}

/** The maximum number of visible characters. A longer page with a challenge's title is an article. */
const MAX_TEXT = 1_500

/** The same for a page without a challenge's title. Challenges have a sentence or two and an incident number. */
const MAX_TEXT_WITHOUT_TITLE = 500

/** Descriptions that a challenge can have. Only HUMAN's pages have one. */
const CHALLENGE_DESCRIPTIONS: ReadonlySet<string> = new Set(['', 'px-captcha'])

/** Words in challenges of several vendors. They confirm a title on a nearly empty page with scripts. */
const COMMON_WORDS = [
  'are you a robot',
  'checking if the site connection is secure',
  'checking your browser',
  'complete the security check',
  'confirm you are',
  'confirm that you are',
  'enable cookies',
  'enable javascript',
  'not a robot',
  'please wait',
  'press & hold',
  'unusual traffic',
  'verify that you',
  'verify you',
  'verifying you',
]

const CAPTCHAS = ['hcaptcha.com/', 'google.com/recaptcha/', 'recaptcha.net/recaptcha/', 'challenges.cloudflare.com/']

const CHALLENGES: readonly Challenge[] = [
  {
    name: 'cloudflare',
    certainCode: ['_cf_chl_opt'],
    titles: ['just a moment...', 'attention required! | cloudflare', 'please wait... | cloudflare'],
    code: ['/cdn-cgi/challenge-platform/', 'challenges.cloudflare.com/'],
    words: ['cloudflare ray id', 'security by cloudflare'],
  },
  {
    name: 'vercel',
    titles: ['vercel security checkpoint'],
    code: ['/.well-known/vercel/security/'],
  },
  // DataDome's scripts on ordinary pages are at js.datadome.co.
  { name: 'datadome', certainCode: ['captcha-delivery.com'], titles: [] },
  {
    name: 'human',
    titles: ['access to this page has been denied', 'access to this page has been denied.', 'robot or human?'],
    code: ['_pxAppId', 'px-cdn.net/', 'px-cloud.net/', 'perimeterx.net/'],
  },
  {
    name: 'akamai',
    certainCode: ['/_sec/cp_challenge/', 'bm-verify'],
    titles: ['access denied'],
    words: ['errors.edgesuite.net'],
  },
  { name: 'aws_waf', certainCode: ['gokuProps'], titles: ['human verification'], code: ['awswaf.com/'] },
  {
    name: 'imperva',
    certainCode: ['Incapsula incident ID'],
    titles: ['pardon our interruption', 'pardon our interruption...'],
    code: ['/_Incapsula_Resource'],
  },
  {
    name: 'sucuri',
    certainCode: ['sucuri_cloudproxy_js'],
    titles: ['sucuri website firewall - access denied'],
    words: ['sucuri website firewall'],
  },
  {
    name: 'ddos_guard',
    titles: ['ddos-guard'],
    code: ['/.well-known/ddos-guard/'],
  },
  { name: 'anubis', certainCode: ['/.within.website/x/cmd/anubis/'], titles: [] },
  {
    name: 'other_challenge',
    // The second is Hostinger's, the third FullStory's.
    certainCode: ['google.com/recaptcha/challengepage/', '/hcdn-cgi/jschallenge', '_fs-ch-'],
    titles: [
      'are you a robot?',
      'are you human?',
      'bot verification',
      'checking your browser',
      'checking your browser...',
      'human verification required',
      'one moment, please...',
      'please verify you are a human',
      'please verify you are human',
      'security check',
      'verifying your browser...',
      'verify you are human',
    ],
    code: CAPTCHAS,
  },
]

/** Recognizes an interstitial by the page's content alone; null for any other page. */
export function pageWallOf(page: InterstitialInput): Interstitial | null {
  if (isConsentHost(page.url)) return 'consent'
  // Articles about consent have og: tags.
  if (!page.hasOpenGraph && isConsentAddress(page.url)) return 'consent'
  const { textLength, mountPoint } = page.body
  // Challenges have neither og: tags nor a description, and little text.
  const isDescribed = page.hasOpenGraph || !CHALLENGE_DESCRIPTIONS.has(page.description)
  if (isDescribed || textLength > MAX_TEXT) return null
  const title = page.title.toLowerCase().replace('…', '...')
  const titled = CHALLENGES.find(({ titles }) => titles.includes(title))
  if (titled !== undefined && isConfirmed(titled, page)) return titled.name
  // A page with a mount point is an application, regardless of its scripts.
  if (textLength > MAX_TEXT_WITHOUT_TITLE || mountPoint !== null) return null
  const code = page.code()
  return CHALLENGES.find(({ certainCode }) => includesAny(code, certainCode))?.name ?? null
}

/** Whether a page with a challenge's title also has its code or words. */
function isConfirmed({ certainCode, code, words }: Challenge, page: InterstitialInput): boolean {
  const ran = page.code()
  if (includesAny(ran, certainCode) || includesAny(ran, code)) return true
  const text = page.text().toLowerCase()
  const isNearlyEmpty = page.body.textLength <= MAX_TEXT_WITHOUT_TITLE && page.body.scriptCount > 0
  return includesAny(text, words) || (isNearlyEmpty && includesAny(text, COMMON_WORDS))
}

function includesAny(text: string, marks: readonly string[] = []): boolean {
  return marks.some((mark) => text.includes(mark))
}
