import { bareName } from './local-name.ts'
import type { Site, SiteRule } from './site-rule.ts'
import { SITE_TABLE } from './site-table.ts'

/** The rules of each host name of the built-in table. */
const BUILT_IN: ReadonlyMap<string, Site> = new Map(
  SITE_TABLE.flatMap(({ rule: { hosts, ...site } }) => hosts.map((host) => [host, site] as const)),
)

/**
 * The rules for a host. A rule of the operator wins over the built-in one, field by field; of several, the first one.
 * Headers and cookies of several rules are combined.
 */
export function siteOf(host: string, operatorRules: readonly SiteRule[]): Site {
  return { ...builtInSite(bareName(host)), ...operatorSiteOf(host, operatorRules) }
}

/** The operator's rules for a host alone. */
export function operatorSiteOf(host: string, operatorRules: readonly SiteRule[]): Site {
  const name = bareName(host)
  const rules = operatorRules.filter(({ hosts }) => hosts.some((pattern) => matchesHost(pattern, name)))
  // The first rule wins, so it is assigned last.
  const site: Site = {}
  for (const { hosts: _, headers, cookies, ...rest } of rules.toReversed()) {
    Object.assign(site, rest)
    if (headers) site.headers = { ...site.headers, ...headers }
    if (cookies) site.cookies = { ...site.cookies, ...cookies }
  }
  return site
}

/** Whether a pattern of `SiteRule.hosts` stands for a host name. */
export function matchesHost(pattern: string, name: string): boolean {
  return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : pattern === name
}

/** The rule for the name itself, or for the closest name above it. */
function builtInSite(name: string): Site | undefined {
  const exact = BUILT_IN.get(name)
  if (exact !== undefined) return exact
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const found = BUILT_IN.get(`*${name.slice(dot)}`)
    if (found !== undefined) return found
  }
  return undefined
}
