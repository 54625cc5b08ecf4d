import { asciiLowerCase } from './ascii-case.ts'

/** Names that stand for this machine: RFC 6761 section 6.3, and what hosts files usually carry. */
const LOOPBACK_NAMES: readonly string[] = ['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback']

/** What those names resolve to, without asking anybody (RFC 6761 section 6.3). */
export const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '::1']

/** Suffixes that no public DNS answers for. */
const LOCAL_SUFFIXES: readonly string[] = [
  'local', // RFC 6762, multicast DNS
  'internal', // reserved by ICANN in 2024; the metadata names of Google Cloud and AWS are among them
  'home.arpa', // RFC 8375
  'localdomain', // what many resolvers call the network they are in
]

/** A host name as names are compared: the WHATWG parser keeps the trailing dot that DNS ignores. */
export function bareName(host: string): string {
  return asciiLowerCase(host).replace(/\.$/, '')
}

/** Whether a name stands for this machine itself. */
export function isLoopbackName(host: string): boolean {
  const name = bareName(host)
  return LOOPBACK_NAMES.includes(name) || name.endsWith('.localhost')
}

/**
 * Whether a name belongs to a private network by its form. A courtesy that spares a look-up, which would tell a caller
 * which internal names exist; what protects is the judgement of the addresses.
 */
export function isLocalName(host: string): boolean {
  const name = bareName(host)
  return isLoopbackName(name) || LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}
