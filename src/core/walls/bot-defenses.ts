import type { Interstitial } from './interstitial.ts'

/** The headers of a response: names in lower case, values as Node returns them. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** The bot defense that sent a response. */
export interface BotDefense {
  name: Interstitial
  /** False if real pages may look like this too; a challenge must then have no description and almost no text. */
  isCertain: boolean
}

/** A header that shows that a bot defense sent the response instead of the site. */
interface HeaderRule extends BotDefense {
  /** The name of a header, in lower case, or a pattern that matches its name. */
  header: string | RegExp
  /** The accepted values, in lower case; all if absent. */
  values?: readonly string[]
  /** Values that are not accepted, in lower case. */
  except?: readonly string[]
  /** The statuses for which the header counts; all if absent. */
  statuses?: readonly number[]
}

/** The statuses with which headers count that other responses of a site have too. */
const DENIED: readonly number[] = [403, 429]

/**
 * Vendors' documented headers, and the header and status rules of `is-antibot` (version 2.5.15,
 * https://github.com/microlinkhq/is-antibot, `src/providers.json`). The package itself is not a dependency: it installs
 * 89 packages with native code. Its rules for cookies are not used, because defenses also set cookies on other pages.
 */
const HEADER_RULES: readonly HeaderRule[] = [
  // https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
  { name: 'cloudflare', header: 'cf-mitigated', values: ['challenge'], isCertain: true },
  { name: 'vercel', header: 'x-vercel-mitigated', values: ['challenge', 'deny'], isCertain: true },
  // https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-how-it-works.html
  { name: 'aws_waf', header: 'x-amzn-waf-action', isCertain: true },
  { name: 'datadome', header: 'x-dd-b', values: ['1', '2'], isCertain: true },
  { name: 'datadome', header: 'x-datadome', except: ['protected'], isCertain: false },
  { name: 'datadome', header: 'x-datadome-cid', isCertain: false },
  { name: 'human', header: 'x-px-authorization', isCertain: false },
  { name: 'kasada', header: 'x-kasada-challenge', isCertain: true },
  { name: 'kasada', header: /^x-(?:kasada|kpsdk)(?:-|$)/, isCertain: false },
  { name: 'shape', header: /^x-[a-z0-9]{8}-[abcdfz]$/, isCertain: false },
  { name: 'akamai', header: 'x-akamai-session-info', isCertain: false },
  // Its value also starts with "Error" when the site itself fails.
  { name: 'akamai', header: 'akamai-cache-status', values: ['error from child'], statuses: DENIED, isCertain: true },
  // All responses of its customers have it. With 503 it reports that the site is down.
  { name: 'imperva', header: 'x-iinfo', statuses: DENIED, isCertain: true },
  { name: 'imperva', header: 'x-cdn', values: ['incapsula'], statuses: DENIED, isCertain: true },
]

/** Statuses with which defenses refuse requests. Others, such as 404 and 500, come from the site. */
const REFUSALS: readonly number[] = [...DENIED, 405]

/** Not a registered status; LinkedIn and Yahoo refuse clients with it. */
const REQUEST_DENIED = 999

/** The bot defense that sent a response with this status and these headers, or null. */
export function defenseOf(status: number, headers: ResponseHeaders): BotDefense | null {
  if (status === REQUEST_DENIED) return { name: 'other_challenge', isCertain: true }
  const rules = HEADER_RULES.filter((rule) => matchesHeaderRule(rule, status, headers))
  const rule = rules.find(({ isCertain }) => isCertain) ?? rules[0]
  // With a status that refuses the request, any header is enough.
  return rule === undefined ? null : { name: rule.name, isCertain: rule.isCertain || REFUSALS.includes(status) }
}

function matchesHeaderRule(
  { header, values, except, statuses }: HeaderRule,
  status: number,
  headers: ResponseHeaders,
): boolean {
  if (statuses !== undefined && !statuses.includes(status)) return false
  const names = typeof header === 'string' ? [header] : Object.keys(headers).filter((name) => header.test(name))
  return names.some((name) => {
    const text = headers[name]
    if (text === undefined) return false
    const value = String(text).trim().toLowerCase()
    return (values?.includes(value) ?? true) && !(except?.includes(value) ?? false)
  })
}
