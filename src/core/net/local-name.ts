import { getDomain } from 'tldts'

import { asciiLowerCase } from '../ascii-case.ts'

/** The longest name in DNS (RFC 1035, section 2.3.4). */
export const MAX_NAME_CHARACTERS = 253

/** Names for this machine: RFC 6761 section 6.3, and the usual entries of hosts files. */
const LOOPBACK_NAMES: readonly string[] = ['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback']

/** The addresses of `LOOPBACK_NAMES`, which need no DNS query (RFC 6761 section 6.3). */
export const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '::1']

/** Suffixes that do not exist in public DNS. */
const LOCAL_SUFFIXES: readonly string[] = [
  'local', // RFC 6762, multicast DNS
  'internal', // reserved by ICANN in 2024; used by the metadata servers of Google Cloud and AWS
  'home.arpa', // RFC 8375
  'localdomain', // the default domain of many local resolvers
]

/** A host name for comparison, without the trailing dot, which the WHATWG parser keeps and DNS ignores. */
export function comparableName(host: string): string {
  return asciiLowerCase(host).replace(/\.$/, '')
}

/** The domain of a name by the Public Suffix List: `a.b.example.co.uk` is in `example.co.uk`. */
export function registrableDomain(name: string): string {
  return getDomain(name, { allowPrivateDomains: true }) ?? name
}

/** Whether a comparable name matches a pattern: `example.com` only itself, `*.example.com` every name below it. */
export function matchesHost(pattern: string, name: string): boolean {
  return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : pattern === name
}

/** Whether a name refers to this machine. */
export function isLoopbackName(host: string): boolean {
  const name = comparableName(host)
  return LOOPBACK_NAMES.includes(name) || name.endsWith('.localhost')
}

/**
 * Whether a name has the form of a private network's name. Refusing such names before the lookup avoids disclosing
 * which internal names exist. Access to private networks is prevented by the check of the resolved addresses.
 */
export function isLocalName(host: string): boolean {
  const name = comparableName(host)
  return isLoopbackName(name) || LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}
