import { isIP, isIPv4, isIPv6 } from 'node:net'

import { parseAddressRange } from '../core/net/address.ts'
import { asciiLowerCase } from '../core/ascii-case.ts'
import { parseAllowRule } from '../core/net/egress.ts'
import { parseEgressProxy, parseProxyException } from '../core/net/egress-proxy.ts'
import { isSecureUrl } from '../core/net/secure-url.ts'
import { EXPECTED_ORIGIN, parseWebOrigin } from '../core/net/web-origin.ts'
import { isDecodable } from './database.ts'
import { parsedBy, secretBy } from './parse.ts'

/** An address or name to listen on; IPv6 with or without brackets. */
export const host = parsedBy((text) => {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  return (isIP(bare) > 0 && !bare.includes('%')) || isHostName(text) ? bare : null
}, 'an IP address or host name')

/** The WHATWG parser turns `1234` and `0x7f.1` into addresses and removes ports; only a host name stays unchanged. */
function isHostName(text: string): boolean {
  return /^[\w.-]+$/.test(text) && URL.parse(`http://${text}`)?.hostname === asciiLowerCase(text)
}

/** An http(s) URL without user, password, query and fragment, or null. */
function plainUrl(text: string): URL | null {
  const url = URL.parse(text)
  const plain = url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password
  return plain && !url.search && !url.hash ? url : null
}

/** `https://meta.example.com`; a trailing slash is accepted. */
export const origin = parsedBy((text) => {
  const url = plainUrl(text)
  return url?.pathname === '/' ? url.origin : null
}, 'an http(s) origin without path, such as https://meta.example.com')

export const corsOrigin = parsedBy(parseWebOrigin, EXPECTED_ORIGIN)

const LOOPBACK_NOTE = '(http only for localhost and loopback addresses)'

/** The origin of an identity provider. It must use https: it receives secrets, and its claims are trusted. */
export const secureOrigin = parsedBy((text) => {
  const url = plainUrl(text)
  return url?.pathname === '/' && isSecureUrl(url) ? url.origin : null
}, `an https origin without path, such as https://github.com ${LOOPBACK_NOTE}`)

/**
 * An OpenID Connect issuer. It must use https, because it receives secrets and its claims are trusted. It is not
 * normalized, because OpenID Connect Discovery 4.3 compares it character by character with the issuer in the discovery
 * document, including a trailing slash.
 */
export const issuer = parsedBy((text) => {
  const url = plainUrl(text)
  return url !== null && isSecureUrl(url) ? text : null
}, `an https URL without query, such as https://accounts.google.com ${LOOPBACK_NOTE}`)

/** The target of a link in the dashboard. */
export const linkUrl = parsedBy((text) => {
  const url = URL.parse(text)
  return url !== null && /^(https?|mailto):$/.test(url.protocol) && !url.username && !url.password ? url.href : null
}, 'an http(s) or mailto URL')

/** `ip`, `ip:port`, `[v6]`, `[v6]:port` → the format of `Resolver.setServers`. */
export const dnsServer = parsedBy((text) => {
  const [, v6, v6Port] = /^\[(.+)\](?::(\d+))?$/.exec(text) ?? []
  const [, v4, v4Port] = /^([^:]+):(\d+)$/.exec(text) ?? []
  const isServer = isIP(text) > 0 || (isIPv6(v6 ?? '') && isPort(v6Port)) || (isIPv4(v4 ?? '') && isPort(v4Port))
  return isServer ? text : null
}, 'an IP address, or ip:port, or [ipv6]:port')

function isPort(digits: string | undefined): boolean {
  return digits === undefined || (Number(digits) >= 1 && Number(digits) <= 65_535)
}

/** `10.0.0.0/8`, or a single address. */
export const addressRange = parsedBy(parseAddressRange, 'an IP address or a range such as 10.0.0.0/8')

/** A private host, `host:port` or range that may be fetched. */
export const allowRule = parsedBy(parseAllowRule, 'host, host:port, or a range such as 10.0.0.0/8')

/** The proxy for outgoing connections, whose value may contain a password. */
export const egressProxy = secretBy(parseEgressProxy, 'http://, https:// or socks5://[user:password@]host:port')

export const proxyException = parsedBy(parseProxyException, 'host, host:port, .domain, or a range such as 10.0.0.0/8')

/** The path is the number of the Redis database, as in redis-cli and most clients. */
const REDIS_PATH = /^(\/\d{0,4})?$/

/** The value may contain a password. */
export const redisUrl = secretBy((text) => {
  const url = URL.parse(text)
  const isRedis = url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && url.port !== '0'
  return isRedis && REDIS_PATH.test(url.pathname) && !url.search && !url.hash && isDecodable(url) ? text : null
}, 'redis:// or rediss://[user:password@]host[:port][/database], with % of the password as %25')

/** The URL of a proxy or of Redis without user and password, for display. */
export function withoutCredentials(text: string): string {
  return text.replace(/^([a-z0-9]+:\/\/)?.*@/i, '$1••••@')
}
