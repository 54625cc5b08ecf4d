import words from './consent-words.json'
import { hasReturnUrl } from './return-url.ts'

// Recognizes consent pages. The cookies that avoid them are `consentCookies` in ../sites/built-in-sites.json.

const CONSENT_HOST =
  /^(?:consent\.(?:youtube\.com|yahoo\.com|google\.[a-z]{2,3}(?:\.[a-z]{2})?)|guce\.[a-z0-9-]+\.com|myprivacy\.dpgmedia\.(?:be|nl))$/

const CONSENT_WORDS = /(?:^|[./_-])(?:consent|cookie-?(?:consent|wall)|privacy-?(?:gate|wall))(?=$|[./_-])/i

/** The words of `CONSENT_WORDS`, and words that other pages have too. */
const GATE_WORDS =
  /(?:^|[./_-])(?:consent|cookie-?(?:consent|wall)|gdpr|dsgvo|rgpd|cmp|tcf|privacy(?:-?(?:gate|wall))?)(?=$|[./_-])/i

/** Query parameters, in lower case, that contain the URL of the requested page. */
const TARGET_PARAMETERS: readonly string[] = (
  'continue return returnurl return_url return_to url callbackurl redirect redirecturi redirect_uri redirecturl ' +
  'redirect_url done next returnto target targeturl target_url dest destination'
).split(' ')

/** The words of consent pages that are sent in place of a page, in the languages of the table of bylines. */
const wordsFor = (meaning: 'heading' | 'accept') => Object.values(words).flatMap((own) => own[meaning].split(', '))
const HEADINGS = wordsFor('heading')
const ACCEPT: ReadonlySet<string> = new Set(wordsFor('accept'))

/** Longer texts are sentences. The longest heading has the name of the site: "Before you continue to Google Search". */
const MAX_HEADING_CHARACTERS = 60

/**
 * Whether a short page without a description and og: tags has a heading such as "Before you continue" and a button such as
 * "Accept all", whose text stands alone. Either is also on other pages.
 * @param texts the title and the lines of visible text
 */
export function isConsentNotice(texts: readonly string[]): boolean {
  const lines = texts.map((text) => text.trim().toLowerCase())
  const short = lines.filter(({ length }) => length <= MAX_HEADING_CHARACTERS)
  return short.some((line) => ACCEPT.has(line)) && short.some((line) => HEADINGS.some((head) => line.startsWith(head)))
}

/** Whether a host serves only consent pages. */
export function isConsentHost({ hostname }: URL): boolean {
  return CONSENT_HOST.test(hostname)
}

/** Whether a URL has a word for consent, and the URL of the requested page in its query. */
export function isConsentAddress(url: URL): boolean {
  return CONSENT_WORDS.test(url.hostname + url.pathname) && targetOf(url) !== null
}

/**
 * Whether a requested page has redirected to a consent page that leads back to it. The consent page may have the og:
 * tags of the site.
 */
export function isConsentRedirect(url: URL, previousUrls: readonly URL[]): boolean {
  // A page about privacy may redirect to another page about privacy.
  if (previousUrls.some(({ hostname, pathname }) => GATE_WORDS.test(hostname + pathname))) return false
  return GATE_WORDS.test(url.hostname + url.pathname) && hasReturnUrl(url, previousUrls)
}

/** The requested URL in the URL of a consent page; null if there is none, or if `url` is not a consent page's URL. */
export function consentTargetOf(url: URL): URL | null {
  return isConsentHost(url) || isConsentAddress(url) ? targetOf(url) : null
}

/** The first parameter whose value is an absolute URL, or starts with a slash. */
function targetOf(url: URL): URL | null {
  for (const [name, value] of url.searchParams) {
    if (!TARGET_PARAMETERS.includes(name.toLowerCase()) || !/^(?:https?:\/\/|\/)/i.test(value)) continue
    const target = URL.parse(value, url.href)
    if (target !== null && target.href !== url.href) return target
  }
  return null
}
