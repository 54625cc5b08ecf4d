import { comparableName } from '../local-name.ts'
import type { Site, SiteRule } from './site-rule.ts'
import { BUILT_IN_SITES } from './built-in-sites.ts'

// Finds the rules for a host: those of `BUILT_IN_SITES` and those of the operator.

/** The rules of each host name of the built-in table. */
const BUILT_IN: ReadonlyMap<string, Site> = new Map(
  BUILT_IN_SITES.flatMap(({ rule: { hosts, ...site } }) => hosts.map((host) => [host, site] as const)),
)

const NO_RULES: Readonly<Site> = {}

/**
 * The combined rules for a host. Each field is taken from the first rule of the operator that has it, or else from the
 * built-in rule. Headers and cookies of several rules are merged.
 */
export function siteOf(host: string, operatorRules: readonly SiteRule[]): Readonly<Site> {
  const builtIn = builtInSite(comparableName(host)) ?? NO_RULES
  return operatorRules.length === 0 ? builtIn : { ...builtIn, ...operatorSiteOf(host, operatorRules) }
}

/** The combined rules of the operator for a host, without the built-in one. */
export function operatorSiteOf(host: string, operatorRules: readonly SiteRule[]): Site {
  const name = comparableName(host)
  const rules = operatorRules.filter(({ hosts }) => hosts.some((pattern) => matchesHost(pattern, name)))
  // The first rule is assigned last, so that it overrides the others.
  const site: Site = {}
  for (const { hosts: _, headers, cookies, ...rest } of rules.toReversed()) {
    Object.assign(site, rest)
    if (headers) site.headers = { ...site.headers, ...headers }
    if (cookies) site.cookies = { ...site.cookies, ...cookies }
  }
  return site
}

/** The cookies of the rules for the first request of a browser, by name. Those of the operator override the built-in ones. */
export function browserCookies(
  { protocol, hostname }: URL,
  operatorRules: readonly SiteRule[],
): Record<string, string> {
  const { cookies, consentCookies } = siteOf(hostname, operatorRules)
  return { ...(protocol === 'https:' && consentCookies), ...cookies }
}

/** Whether a host name matches a pattern of `SiteRule.hosts`. */
export function matchesHost(pattern: string, name: string): boolean {
  return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : pattern === name
}

/** The built-in rule for the name, or for the closest parent domain. */
function builtInSite(name: string): Site | undefined {
  const exact = BUILT_IN.get(name)
  if (exact !== undefined) return exact
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const found = BUILT_IN.get(`*${name.slice(dot)}`)
    if (found !== undefined) return found
  }
  return undefined
}
