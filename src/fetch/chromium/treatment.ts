/** What becomes of one request of a page. */
export type Treatment = 'load' | 'refuse' | 'answer empty'

/** What Chromium wants to load, as playwright names the kinds. */
export interface WantedResource {
  type: string
  url: string
}

/** What no title or description ever came from. */
const UNWANTED_TYPES: ReadonlySet<string> = new Set([
  'image',
  'media',
  'font',
  'texttrack',
  'manifest',
  'ping',
  'cspviolationreport',
  'eventsource',
])

/** Schemes of the network, and of what a page has already. Everything else, `file:` above all, is not for pages. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'data:', 'blob:'])

/**
 * Measures visitors, which nobody is here, and does not make pages. By registrable domain or host; scripts that sites
 * load their content by are not among them.
 */
const BEACONS: readonly string[] = [
  'amplitude.com',
  'bat.bing.com',
  'clarity.ms',
  'connect.facebook.net',
  'criteo.com',
  'doubleclick.net',
  'fullstory.com',
  'google-analytics.com',
  'googleadservices.com',
  'googlesyndication.com',
  'googletagmanager.com',
  'hotjar.com',
  'mc.yandex.ru',
  'mixpanel.com',
  'nr-data.net',
  'quantserve.com',
  'scorecardresearch.com',
  'segment.io',
  'sentry.io',
  'snap.licdn.com',
]

export function treatmentOf({ type, url }: WantedResource): Treatment {
  const parsed = URL.parse(url)
  if (parsed === null || !SCHEMES.has(parsed.protocol)) return 'refuse'
  // Bundlers load a style sheet before the component that wants it, and show neither when the sheet fails.
  if (type === 'stylesheet') return 'answer empty'
  if (UNWANTED_TYPES.has(type)) return 'refuse'
  const isDocument = type === 'document'
  return !isDocument && BEACONS.some((host) => isWithin(parsed.hostname, host)) ? 'refuse' : 'load'
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}

/** Requests of these kinds may bring what a page has yet to say of itself. */
const TELLING_TYPES: ReadonlySet<string> = new Set(['document', 'script', 'xhr', 'fetch'])

/** Whether a page is not done while the request is under way. */
export function isTelling({ type, url }: WantedResource): boolean {
  return TELLING_TYPES.has(type) && treatmentOf({ type, url }) === 'load'
}
