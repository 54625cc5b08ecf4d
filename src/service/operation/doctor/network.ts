import { MINUTE_MS } from '../../../core/duration.ts'
import { FetchError, messageOf } from '../../../core/errors.ts'
import type { AddressRange } from '../../../core/net/address.ts'
import { isSecureUrl } from '../../../core/net/secure-url.ts'
import { failed, type Finding, ok, skipped, warning } from '../doctor.ts'
import remedies from './remedies.json'

/** The maximum clock error in milliseconds. With a wrong clock, certificates and sign-in tokens are rejected. */
const CLOCK_WRONG_MS = 5 * MINUTE_MS
const CLOCK_OFF_MS = 30_000

/** @param aheadMs how far the other clock is ahead */
export function clockFinding(aheadMs: number, of: string): Finding {
  const offMs = Math.abs(aheadMs)
  const detail = `differs from that of ${of} by ${Math.round(offMs / 1_000)} s`
  if (offMs > CLOCK_WRONG_MS) return failed(detail, remedies.clock)
  return offMs > CLOCK_OFF_MS ? warning(detail, remedies.clock) : ok(detail)
}

/**
 * For a clock that cannot be compared, because `host` did not respond.
 * @param isSynchronized whether NTP has set the clock; null if that is unknown
 */
export function ntpFinding(isSynchronized: boolean | null, host: string): Finding {
  if (isSynchronized === null) return skipped(`no response with a Date header from ${host}`)
  return isSynchronized ? ok('synchronized by NTP') : warning('not synchronized by NTP', remedies.clock)
}

/** For a page that could not be fetched. @throws `error` if it is neither a FetchError nor a timeout */
export function outboundFinding(url: URL, error: unknown, timeoutMs: number, usesProxy: boolean): Finding {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return failed(
      `${url.href}: no response within ${timeoutMs / 1_000} s`,
      usesProxy ? remedies.egress_proxy : remedies.outbound,
    )
  }
  if (!(error instanceof FetchError)) throw error
  if (error.failure === 'http_status') return ok(`${url.host} responds with ${error.reason}`)
  const { failure, reason, detail } = error
  if (failure === 'egress_proxy') return failed(`${url.href}: ${detail}`, remedies.egress_proxy)
  const isKnown = failure === 'host_not_found' || failure === 'tls_error' || failure === 'address_not_allowed'
  return failed(`${url.href}: ${reason}`, remedies[isKnown ? failure : 'outbound'])
}

/** @param extraFile the path in NODE_EXTRA_CA_CERTS and whether it exists; null when it is not set */
export function authoritiesFinding(builtIn: number, extraFile: { path: string; exists: boolean } | null): Finding {
  if (builtIn === 0) return failed('no built-in certificate authorities', remedies.authorities)
  if (extraFile === null) return ok(`${builtIn} built in`)
  return extraFile.exists
    ? ok(`${builtIn} built in, and those in ${extraFile.path} (NODE_EXTRA_CA_CERTS)`)
    : failed(`there is no file ${extraFile.path}`, remedies.extra_authorities)
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
    return (isRunning ? failed : warning)(`${baseUrl}/healthz: ${why}`, remedies.base_url)
  }
  if (isSecureUrl(new URL(baseUrl))) return ok(`${baseUrl} leads to a urlmeta server`)
  return warning(`${baseUrl} is served without TLS`, remedies.tls)
}

/** The server does not implement TLS, so an https address means that a reverse proxy is in front of it. */
export function reverseProxyFinding(baseUrl: string | null, trustedProxies: readonly AddressRange[]): Finding {
  if (trustedProxies.some(([, bits]) => bits === 0)) {
    return warning('X-Forwarded-For is trusted from every address', remedies.proxies_everyone)
  }
  if (trustedProxies.length > 0) return ok('its X-Forwarded-For header is trusted')
  if (!baseUrl?.startsWith('https:')) return skipped('none is configured')
  return warning('all clients behind the proxy count as one', remedies.proxies_nobody)
}
