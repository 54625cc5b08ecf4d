import { firstOf } from '../first-of.ts'
import { DEFAULT_ACCEPT_LANGUAGE } from '../net/language.ts'
import { comparableName, isLoopbackName, matchesHost } from '../net/local-name.ts'
import type { BuiltInSite, Site, SiteRule } from './site-rule.ts'
import table from './built-in-sites.json'

// Finds the rules for a host, in `BUILT_IN_SITES` and in the operator's file.

/** An entry of built-in-sites.json. */
interface Entry extends Omit<BuiltInSite, 'hosts'> {
  hosts?: readonly string[]
  /** Each domain includes all names below it. */
  domains?: readonly string[]
  /** The domains of one name in several countries; Google's are from https://www.google.com/supported_domains. */
  countries?: { name: string; suffixes: string }
}

/**
 * Sites that send other pages to unknown clients than to browsers, according to public reports. docs/sites.md has the
 * result for each site. Titles are compared without case and without distinguishing kinds of dashes.
 *
 * The value of Google's cookie `SOCS` means that the visitor rejected everything on the consent page: base64 of a
 * protocol buffer with the kind of the choice (2) and the permissions (0). The `userAgent` is for sites that respond
 * with 404 to clients with "bot" in their name; the `userAgent` still names urlmeta.
 */
export const BUILT_IN_SITES: readonly BuiltInSite[] = (table satisfies readonly Entry[]).map((entry: Entry) => {
  const { hosts = [], domains = [], countries, ...site } = entry
  const national = countries?.suffixes.split(' ').map((suffix) => `${countries.name}.${suffix}`) ?? []
  return { ...site, hosts: [...hosts, ...[...national, ...domains].flatMap((name) => [name, `*.${name}`])] }
})

/** The rules of each host name of the built-in table. */
const BUILT_IN: ReadonlyMap<string, Site> = new Map(
  BUILT_IN_SITES.flatMap(({ hosts, sources: _sources, ...site }) => hosts.map((host) => [host, site] as const)),
)

/** Names of cookies that are only sent over https (RFC 6265bis section 4.1.3). */
const SECURE_COOKIE = /^__(?:Secure|Host)-/i

/** The combined rules for a host: each field is from the operator's first rule that has it, or from the built-in rule. */
export function siteOf(host: string, operatorRules: readonly SiteRule[]): Readonly<Site> {
  const builtIn = builtInSite(comparableName(host)) ?? {}
  return operatorRules.length === 0 ? builtIn : { ...builtIn, ...operatorSiteOf(host, operatorRules) }
}

/** The combined rules of the operator for a host, without the built-in rule. */
export function operatorSiteOf(host: string, operatorRules: readonly SiteRule[]): Site {
  const rule = merged(rulesFor(host, operatorRules))
  const { hosts: _hosts, headers: _headers, cookies: _cookies, insecure: _insecure, ...site } = rule
  return site
}

/** The inputs for the Accept-Language of a request. */
export interface LanguageChoice {
  /** The language that the caller asks for, if any, takes precedence. */
  readonly caller: { readonly language?: string | undefined } | null
  /** The operator's rules for sites. */
  readonly sites: readonly SiteRule[]
  /** The default, for sites without a rule. */
  readonly acceptLanguage?: string | undefined
}

/** The Accept-Language of a request to a host: from the caller, or else from the rule for the host, or else the default. */
export function languageFor(host: string, { caller, sites, acceptLanguage }: LanguageChoice): string {
  return caller?.language ?? siteOf(host, sites).language ?? acceptLanguage ?? DEFAULT_ACCEPT_LANGUAGE
}

/**
 * The headers and cookies that the rules add to a request. Over plain HTTP, only rules with `insecure` apply. For
 * each name, the first rule wins.
 */
export function secretsOf({ protocol, hostname }: URL, operatorRules: readonly SiteRule[]) {
  const isEncrypted = protocol === 'https:'
  const rules = rulesFor(hostname, operatorRules).filter(({ insecure }) => isEncrypted || insecure === true)
  const { consentCookies = {} } = isEncrypted ? siteOf(hostname, []) : {}
  const cookies = Object.entries(merged(rules.map((rule) => rule.cookies)))
  return {
    headers: merged(rules.map((rule) => rule.headers)),
    cookies: Object.fromEntries(cookies.filter(([name]) => isEncrypted || !SECURE_COOKIE.test(name))),
    consentCookies,
  }
}

/**
 * The cookies of the rules for the first request of a browser, each with the URL to set it for: a browser sends
 * cookies of https URLs over https only, so cookies of rules without `insecure` are used after a redirect to https.
 */
export function browserCookies({ protocol, hostname }: URL, operatorRules: readonly SiteRule[]) {
  // Chromium sends all cookies to loopback, also over plain HTTP.
  const isLoopback = isLoopbackName(hostname) || /^127\.|^\[::1\]$/.test(hostname)
  const cookies = (isLoopback ? [protocol] : ['https:', protocol]).flatMap((scheme) => {
    const url = `${scheme}//${hostname}/`
    const { consentCookies, cookies: others } = secretsOf(new URL(url), operatorRules)
    return Object.entries({ ...consentCookies, ...others }).map(([name, value]) => ({ name, value, url }))
  })
  return [...new Map(cookies.map((cookie) => [cookie.name, cookie])).values()]
}

function rulesFor(host: string, rules: readonly SiteRule[]): SiteRule[] {
  const name = comparableName(host)
  return rules.filter(({ hosts }) => hosts.some((pattern) => matchesHost(pattern, name)))
}

/** The first value of each field. */
function merged<T extends object>(parts: readonly (T | undefined)[]): T {
  return Object.assign({}, ...parts.toReversed())
}

/** The built-in rule for the name, or for the closest parent domain. */
function builtInSite(name: string): Site | undefined {
  const parents = name.matchAll(/\./g).map(({ index }) => `*${name.slice(index)}`)
  return BUILT_IN.get(name) ?? firstOf(parents, (pattern) => BUILT_IN.get(pattern))
}
