import { MINUTE_MS } from '../../../core/duration.ts'
import { FetchError, messageOf } from '../../../core/errors.ts'
import type { AddressRange } from '../../../core/net/address.ts'
import { isSecureUrl } from '../../../core/net/secure-url.ts'
import { failed, type Finding, ok, skipped, warning } from '../doctor.ts'

/** The maximum clock error in milliseconds. With a wrong clock, certificates and sign-in tokens are rejected. */
const CLOCK_WRONG_MS = 5 * MINUTE_MS
const CLOCK_OFF_MS = 30_000

const CLOCK_REMEDY = 'Set the clock by NTP (timedatectl set-ntp true).'

export const DNS_REMEDY =
  'Set working DNS servers in URLMETA_DNS_SERVERS or /etc/resolv.conf. Without internet access, pass a reachable page with --url.'

const OUTBOUND_REMEDY =
  'Allow outbound connections to ports 80 and 443 (firewall, security group). Without internet access, pass a reachable page with --url.'

const PROXY_REMEDY =
  'Correct the address, user and password in URLMETA_EGRESS_PROXY, and let the proxy connect to ports 80 and 443 of any IP address.'

/** @param aheadMs how far the other clock is ahead */
export function clockFinding(aheadMs: number, of: string): Finding {
  const offMs = Math.abs(aheadMs)
  const detail = `differs from that of ${of} by ${Math.round(offMs / 1_000)} s`
  if (offMs > CLOCK_WRONG_MS) return failed(detail, CLOCK_REMEDY)
  return offMs > CLOCK_OFF_MS ? warning(detail, CLOCK_REMEDY) : ok(detail)
}

/**
 * For a clock that cannot be compared, because `host` did not respond.
 * @param isSynchronized whether NTP has set the clock; null if that is unknown
 */
export function ntpFinding(isSynchronized: boolean | null, host: string): Finding {
  if (isSynchronized === null) return skipped(`no response with a Date header from ${host}`)
  return isSynchronized ? ok('synchronized by NTP') : warning('not synchronized by NTP', CLOCK_REMEDY)
}

/** For a page that could not be fetched. @throws `error` if it is neither a FetchError nor a timeout */
export function outboundFinding(url: URL, error: unknown, timeoutMs: number, usesProxy: boolean): Finding {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return failed(`${url.href}: no response within ${timeoutMs / 1_000} s`, usesProxy ? PROXY_REMEDY : OUTBOUND_REMEDY)
  }
  if (!(error instanceof FetchError)) throw error
  if (error.failure === 'http_status') return ok(`${url.host} responds with ${error.reason}`)
  if (error.failure === 'egress_proxy') return failed(`${url.href}: ${error.detail}`, PROXY_REMEDY)
  return failed(`${url.href}: ${error.reason}`, outboundRemedy(error))
}

function outboundRemedy({ failure }: FetchError): string {
  if (failure === 'host_not_found') return DNS_REMEDY
  if (failure === 'tls_error') {
    return 'The certificate is not trusted: check whether a proxy intercepts TLS on this network, and check the clock.'
  }
  if (failure === 'address_not_allowed') {
    return 'It is a private address. To allow it, add it to URLMETA_ALLOW_PRIVATE_HOSTS.'
  }
  return OUTBOUND_REMEDY
}

/** @param extraFile the path in NODE_EXTRA_CA_CERTS and whether it exists; null when it is not set */
export function authoritiesFinding(builtIn: number, extraFile: { path: string; exists: boolean } | null): Finding {
  if (builtIn === 0) return failed('no built-in certificate authorities', 'Install a release build of urlmeta.')
  if (extraFile === null) return ok(`${builtIn} built in`)
  return extraFile.exists
    ? ok(`${builtIn} built in, and those in ${extraFile.path} (NODE_EXTRA_CA_CERTS)`)
    : failed(`there is no file ${extraFile.path}`, 'Correct or remove NODE_EXTRA_CA_CERTS.')
}

/**
 * @param health the response of /healthz, or why there was no response
 * @param isRunning whether a server runs; null if that is unknown
 */
export function baseUrlFinding(
  baseUrl: string,
  health: { status: number; text: string } | Error,
  isRunning: boolean | null,
): Finding {
  const isUrlmeta = 'status' in health && health.status === 200 && health.text === '{"status":"ok"}'
  if (!isUrlmeta) {
    const why = 'status' in health ? `HTTP ${health.status}, not from urlmeta` : messageOf(health)
    const remedy =
      'Set URLMETA_BASE_URL to the address that browsers use, and check that DNS and the reverse proxy lead to this server.'
    return (isRunning ? failed : warning)(`${baseUrl}/healthz: ${why}`, remedy)
  }
  if (isSecureUrl(new URL(baseUrl))) return ok(`${baseUrl} leads to a urlmeta server`)
  return warning(
    `${baseUrl} is served without TLS`,
    'Put a reverse proxy with TLS in front, and set URLMETA_BASE_URL to its https address: keys and cookies are sent unencrypted.',
  )
}

/** The server does not implement TLS, so an https address means that a reverse proxy is in front of it. */
export function reverseProxyFinding(baseUrl: string | null, trustedProxies: readonly AddressRange[]): Finding {
  if (trustedProxies.some(([, bits]) => bits === 0)) {
    return warning(
      'X-Forwarded-For is trusted from every address',
      'Set URLMETA_TRUSTED_PROXIES to the addresses of your reverse proxy only: any client can send this header.',
    )
  }
  if (trustedProxies.length > 0) return ok('its X-Forwarded-For header is trusted')
  if (!baseUrl?.startsWith('https:')) return skipped('none is configured')
  return warning(
    'all clients behind the proxy count as one',
    'Add the address of the proxy to URLMETA_TRUSTED_PROXIES, so that its X-Forwarded-For header is used.',
  )
}
