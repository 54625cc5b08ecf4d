import { classifyAddress } from './address.ts'
import { literalAddress } from './egress.ts'

/**
 * Whether traffic to a URL is protected from eavesdropping and modification: https, or http that stays on this machine.
 * `*.localhost` does not count, because resolvers may resolve it to other machines.
 */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true
  return protocol === 'http:' && (hostname === 'localhost' || classifyAddress(literalAddress(hostname)) === 'loopback')
}
