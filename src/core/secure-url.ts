import { judgeAddress } from './address.ts'
import { literalAddress } from './egress.ts'

/**
 * Whether nobody on the way can read or change what is exchanged with a URL: https, or http that stays on this machine.
 * Of names `localhost` alone counts; a resolver may look `*.localhost` up anywhere.
 */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true
  return protocol === 'http:' && (hostname === 'localhost' || judgeAddress(literalAddress(hostname)) === 'loopback')
}
