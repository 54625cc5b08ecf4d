import { attempt } from '../attempt.ts'
import { parseAddress } from './address.ts'
import { matchesRule, parseAllowRule, type AllowRule, type EgressTarget } from './egress.ts'
import { comparableName } from './local-name.ts'

/** The operator's proxy for outgoing connections. */
export interface EgressProxy {
  protocol: 'http' | 'https' | 'socks5'
  /** As normalized by the WHATWG parser, IPv6 in brackets. */
  host: string
  port: number
  credentials: { user: string; password: string } | null
}

/** A destination that bypasses the proxy: an `AllowRule`, or all names below a domain. */
export type ProxyException = AllowRule | { domain: string }

export interface EgressProxySettings {
  proxy: EgressProxy
  exceptions: readonly ProxyException[]
}

const DEFAULT_PORTS: Record<EgressProxy['protocol'], number> = { http: 80, https: 443, socks5: 1080 }

/** SOCKS5 user names and passwords have 1 to 255 bytes (RFC 1929). */
const MAX_SOCKS_CREDENTIAL_BYTES = 255

/** Parses `http://`, `https://` or `socks5://[user:password@]host[:port]`; null for anything else. */
export function parseEgressProxy(text: string): EgressProxy | null {
  const [, scheme = '', rest = ''] = /^(https?|socks5):\/\/([^/?#]+)\/?$/i.exec(text) ?? []
  const protocol = scheme.toLowerCase() as EgressProxy['protocol']
  // The WHATWG parser normalizes hosts of http URLs only. It removes port 80, so `hasPort` checks the text.
  const url = rest === '' ? null : URL.parse(`http://${rest}`)
  if (url === null || !url.hostname) return null
  const hasPort = /:\d+$/.test(rest.slice(rest.lastIndexOf('@') + 1))
  const port = hasPort ? Number(url.port || 80) : DEFAULT_PORTS[protocol]
  const credentials = credentialsOf(url)
  if (port === 0 || credentials === 'invalid') return null
  if (protocol === 'socks5' && credentials !== null && !fitsSocks(credentials)) return null
  return { protocol, host: url.hostname, port, credentials }
}

function credentialsOf({ username, password }: URL): EgressProxy['credentials'] | 'invalid' {
  if (username === '' && password === '') return null
  return attempt(() => ({ user: decodeURIComponent(username), password: decodeURIComponent(password) })) ?? 'invalid'
}

function fitsSocks({ user, password }: NonNullable<EgressProxy['credentials']>): boolean {
  const sizes = [user, password].map((text) => new TextEncoder().encode(text).length)
  return sizes.every((size) => size >= 1 && size <= MAX_SOCKS_CREDENTIAL_BYTES)
}

/** Parses the syntax of `parseAllowRule`, or `.example.com` for all names below a domain; null for anything else. */
export function parseProxyException(text: string): ProxyException | null {
  if (!text.startsWith('.')) return parseAllowRule(text)
  const rule = parseAllowRule(text.slice(1))
  return rule !== null && 'name' in rule && rule.port === null ? { domain: rule.name } : null
}

/** Whether a connection to `target` at its resolved `address` bypasses the proxy; false for text that is not an address. */
export function bypassesProxy(exceptions: readonly ProxyException[], target: EgressTarget, address: string): boolean {
  const parsed = parseAddress(address)
  if (parsed === null) return false
  return exceptions.some((exception) =>
    'domain' in exception
      ? comparableName(target.host).endsWith(`.${exception.domain}`)
      : matchesRule(exception, target, parsed),
  )
}
