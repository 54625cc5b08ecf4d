import type { BodyMeasure } from './body-gauge.ts'

/**
 * Pages that stand in front of the wanted one: a challenge of a bot defence, by its maker, or a question of consent.
 * A closed set that log, metrics and tests share.
 */
export type Interstitial =
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
  | 'other_challenge'
  | 'consent'

/** What the rule looks at. */
export interface Suspect {
  url: URL
  /** The whole page in an ASCII-compatible encoding. */
  bytes: Uint8Array
  /** Text of the title element. */
  title: string
  hasOpenGraph: boolean
  body: BodyMeasure
}

interface Challenge {
  name: Interstitial
  /** Whole titles, in lower case. */
  titles: readonly string[]
  /** Text that only challenges carry: not what a defence also puts into the pages it lets through. */
  markers: readonly string[]
}

/** Markers stand near the top of small pages; what lies behind is not searched. */
const MARKED_BYTES = 65_536

/** Characters of visible text above which a page has something to say itself, even if it quotes a challenge. */
const MAX_TEXT = 1_500

/** Characters up to which one sign is enough: "Checking your browser" in a few words, an address, an incident number. */
const MAX_TEXT_ONE_SIGN = 500

const CHALLENGES: readonly Challenge[] = [
  {
    name: 'cloudflare',
    titles: ['just a moment...', 'attention required! | cloudflare', 'please wait... | cloudflare'],
    markers: ['_cf_chl_opt', 'cf-browser-verification', 'cf-challenge-running', 'cf-captcha-container'],
  },
  { name: 'vercel', titles: ['vercel security checkpoint'], markers: ['/.well-known/vercel/security/'] },
  { name: 'datadome', titles: [], markers: ['captcha-delivery.com/'] },
  {
    name: 'human',
    titles: ['access to this page has been denied', 'access to this page has been denied.', 'robot or human?'],
    markers: ['px-captcha', 'captcha.px-cdn.net', 'captcha.perimeterx.net'],
  },
  {
    name: 'akamai',
    titles: [],
    markers: ['errors.edgesuite.net', 'sec-if-cpt-container', '/_sec/cp_challenge/', 'bm-verify='],
  },
  { name: 'aws_waf', titles: ['human verification'], markers: ['gokuProps', 'awsWafCookieDomainList'] },
  {
    name: 'imperva',
    titles: ['pardon our interruption', 'pardon our interruption...'],
    markers: ['Incapsula incident ID'],
  },
  {
    name: 'sucuri',
    titles: ['sucuri website firewall - access denied'],
    markers: ['sucuri_cloudproxy_js', 'sucuri.net/privacy-policy'],
  },
  { name: 'ddos_guard', titles: ['ddos-guard'], markers: ['/.well-known/ddos-guard/'] },
  { name: 'anubis', titles: ["making sure you're not a bot!"], markers: ['/.within.website/x/cmd/anubis/'] },
  {
    name: 'other_challenge',
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
    markers: ['https://www.google.com/recaptcha/challengepage/', 'hcaptcha.com/captcha/v1'],
  },
]

/** Hosts that visitors are sent to for their consent before they see the page. */
const CONSENT_HOST =
  /^(?:consent\.(?:youtube\.com|yahoo\.com|google\.[a-z]{2,3}(?:\.[a-z]{2})?)|guce\.[a-z0-9-]+\.com|myprivacy\.dpgmedia\.(?:be|nl))$/

/** Which interstitial a page is; null for a page of its own. */
export function interstitialOf(suspect: Suspect): Interstitial | null {
  if (CONSENT_HOST.test(suspect.url.hostname)) return 'consent'
  const { body, bytes } = suspect
  // No challenge describes itself to link previews, and none says much.
  if (suspect.hasOpenGraph || body.textLength > MAX_TEXT) return null
  const title = suspect.title.toLowerCase().replace('…', '...')
  const top = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, MARKED_BYTES))
  for (const { name, titles, markers } of CHALLENGES) {
    const isTitled = titles.includes(title)
    if (!isTitled && body.textLength > MAX_TEXT_ONE_SIGN) continue
    const isMarked = markers.some((marker) => top.includes(marker))
    if (isMarked) return name
    // A title alone convicts only a page that is next to empty and works by script.
    if (isTitled && body.textLength <= MAX_TEXT_ONE_SIGN && body.scriptCount > 0) return name
  }
  return null
}
