import table from './built-in-sites.json'
import type { BuiltInSite } from './site-rule.ts'

/** An entry of the table. */
interface Entry extends Omit<BuiltInSite, 'hosts'> {
  hosts?: readonly string[]
  /** Each with all names below it. */
  domains?: readonly string[]
  /** The domains of one name in several countries; Google's are those of https://www.google.com/supported_domains. */
  countries?: { name: string; suffixes: string }
}

/**
 * Sites that send unknown clients other pages than they send to browsers, according to public reports. docs/sites.md
 * has the result for each. Titles are compared without case and without distinguishing kinds of dashes.
 *
 * The cookie `SOCS` of Google is that of a visitor who rejected everything on its consent page: base64 of a protocol
 * buffer with the kind of the choice (2) and what it allows (0). The `userAgent` is for sites that respond with 404 to
 * clients with "bot" in their name; it still names urlmeta.
 */
export const BUILT_IN_SITES: readonly BuiltInSite[] = (table satisfies readonly Entry[]).map((entry: Entry) => {
  const { hosts = [], domains = [], countries, ...site } = entry
  const national = countries?.suffixes.split(' ').map((suffix) => `${countries.name}.${suffix}`) ?? []
  return { ...site, hosts: [...hosts, ...[...national, ...domains].flatMap((name) => [name, `*.${name}`])] }
})
