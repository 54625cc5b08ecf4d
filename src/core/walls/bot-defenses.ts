import { fieldValue, type HeaderFields } from '../net/header-fields.ts'
import type { ChallengeVendor } from './interstitial.ts'

export interface BotDefense {
  name: ChallengeVendor
  /** False if real pages may look like this too. A challenge must then have no description and almost no text. */
  isCertain: boolean
}

/** A header that shows that a bot defense sent the response instead of the site. */
interface HeaderRule extends BotDefense {
  /** The name of a header, in lower case, or a pattern that matches its name. */
  header: string | RegExp
  /** The accepted values, in lower case. If absent, all values are accepted. */
  values?: readonly string[]
  /** Values that are not accepted, in lower case. */
  except?: readonly string[]
  /** The statuses for which the header counts. If absent, the header counts for all statuses. */
  statuses?: readonly number[]
}

/** Some headers are also in other responses of a site. They count only with these statuses. */
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
  // The value also starts with "Error" when the site itself fails.
  { name: 'akamai', header: 'akamai-cache-status', values: ['error from child'], statuses: DENIED, isCertain: true },
  // All responses of Imperva's customers have this header. With 503, the header reports that the site is down.
  { name: 'imperva', header: 'x-iinfo', statuses: DENIED, isCertain: true },
  { name: 'imperva', header: 'x-cdn', values: ['incapsula'], statuses: DENIED, isCertain: true },
]

/** Statuses with which defenses refuse requests. Other statuses, such as 404 and 500, come from the site. */
const REFUSALS: readonly number[] = [...DENIED, 405]

/** LinkedIn and Yahoo refuse clients with this status, which is not registered. */
const REQUEST_DENIED = 999

/** Null if the response does not come from a bot defense. */
export function defenseOf(status: number, fields: HeaderFields): BotDefense | null {
  if (status === REQUEST_DENIED) return { name: 'other_challenge', isCertain: true }
  const rules = HEADER_RULES.filter((rule) => matchesHeaderRule(rule, status, fields))
  const rule = rules.find(({ isCertain }) => isCertain) ?? rules[0]
  // With a status that refuses the request, any header is enough.
  return rule === undefined ? null : { name: rule.name, isCertain: rule.isCertain || REFUSALS.includes(status) }
}

function matchesHeaderRule(
  { header, values, except, statuses }: HeaderRule,
  status: number,
  fields: HeaderFields,
): boolean {
  if (statuses !== undefined && !statuses.includes(status)) return false
  const names = typeof header === 'string' ? [header] : [...fields.keys()].filter((name) => header.test(name))
  return names.some((name) => {
    const value = fieldValue(fields, name)?.toLowerCase()
    if (value === undefined) return false
    return (values?.includes(value) ?? true) && !(except?.includes(value) ?? false)
  })
}
