import { existsSync } from 'node:fs'

import { MINUTE_MS } from '../../core/duration.ts'
import { type Config, publicOrigin } from '../../config.ts'
import type { Env } from '../../config/env-reader.ts'
import { FetchError, messageOf } from '../../core/errors.ts'
import type { Budget } from '../../core/fetch/ports.ts'
import { PageScan } from '../../core/extract/extract.ts'
import { isSecureUrl } from '../../core/net/secure-url.ts'
import { createFetcher, createFetchSlots } from '../../fetch/fetcher.ts'
import { BUILT_IN_AUTHORITIES, probeUrl } from '../../fetch/probe-url.ts'
import { createResolver } from '../../fetch/connection/resolver.ts'
import { type DoctorCheck, failed, type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import { serverPid } from '../../store/files/directory-lock.ts'
import { createProvider } from '../../identity/providers.ts'
import { networkOptions } from '../page-settings.ts'

/** Reserved for documentation, so they stay available. https://www.rfc-editor.org/rfc/rfc2606 */
export const OUTBOUND_URLS = ['http://example.com/', 'https://example.com/']

/** The deadline of each request, in milliseconds. */
const REQUEST_MS = 8_000

/** The maximum clock error in milliseconds. With a wrong clock, certificates and sign-in tokens are rejected. */
const CLOCK_WRONG_MS = 5 * MINUTE_MS
const CLOCK_OFF_MS = 30_000

export function networkChecks(config: Config, urls: readonly string[], env: Env): DoctorCheck[] {
  const urlOf = (protocol: string) => urls.map((url) => new URL(url)).find((url) => url.protocol === protocol)
  const [plain, secure] = [urlOf('http:'), urlOf('https:')]
  const first = secure ?? plain!
  const noPage = async (scheme: string) => skipped(`no ${scheme} URL was passed with --url`)
  return [
    { name: 'clock', run: () => checkClock(first) },
    { name: 'DNS', run: (signal) => checkDns(config, first.hostname, signal) },
    { name: 'outbound HTTP', run: (signal) => (plain ? checkOutbound(config, plain, signal) : noPage('http')) },
    { name: 'outbound HTTPS', run: (signal) => (secure ? checkOutbound(config, secure, signal) : noPage('https')) },
    { name: 'certificate authorities', run: async () => checkRoots(env['NODE_EXTRA_CA_CERTS']) },
    { name: 'base URL', run: () => checkBaseUrl(config) },
    { name: 'reverse proxy', run: async () => checkProxy(config) },
    ...config.providers
      .map((settings) => createProvider(settings, Date.now))
      .map((provider): DoctorCheck => ({
        name: `sign-in with ${provider.id}`,
        async run() {
          try {
            // Reads the discovery document, if the provider has one.
            const url = await provider.authorizationUrl({
              state: '-',
              codeVerifier: '-',
              nonce: '-',
              redirectUri: first.href,
            })
            await probeUrl(url.origin, 'HEAD')
            return ok(`${url.origin} responds`)
          } catch (error) {
            const cause = error instanceof Error && error.cause ? ` (${messageOf(error.cause)})` : ''
            const detail = error instanceof Error && 'detail' in error ? String(error.detail) : messageOf(error)
            return failed(
              `${detail}${cause}`,
              'Compare its URLMETA_ variables with the settings at the provider, and check that this machine can reach it.',
            )
          }
        },
      })),
  ]
}

async function checkClock(url: URL): Promise<Finding> {
  const response = await probeUrl(url.href, 'HEAD').catch(() => null)
  const theirsMs = Date.parse(response?.headers.get('date') ?? '')
  if (!Number.isNaN(theirsMs)) return clockFinding(theirsMs - Date.now(), url.host)
  const synchronized = await isSynchronized().catch(() => '')
  if (synchronized === 'yes\n') return ok('synchronized by NTP')
  if (synchronized === 'no\n') return warning('not synchronized by NTP', CLOCK_REMEDY)
  return skipped(`no response with a Date header from ${url.host}`)
}

/** `yes` or `no` with a line feed: whether any NTP client has set the clock. @throws Error without systemd */
async function isSynchronized(): Promise<string> {
  const command = ['timedatectl', 'show', '--property=NTPSynchronized', '--value']
  return Bun.spawn(command, { stderr: 'ignore', timeout: REQUEST_MS }).stdout.text()
}

const CLOCK_REMEDY = 'Set the clock by NTP (timedatectl set-ntp true).'

/** @param aheadMs how far another clock is ahead */
export function clockFinding(aheadMs: number, of: string): Finding {
  const offMs = Math.abs(aheadMs)
  const detail = `differs from that of ${of} by ${Math.round(offMs / 1_000)} s`
  if (offMs > CLOCK_WRONG_MS) return failed(detail, CLOCK_REMEDY)
  return offMs > CLOCK_OFF_MS ? warning(detail, CLOCK_REMEDY) : ok(detail)
}

async function checkDns({ dnsServers }: Config, host: string, signal: AbortSignal): Promise<Finding> {
  using resolver = createResolver({ servers: dnsServers })
  const servers = dnsServers === null ? "the system's resolver" : dnsServers.join(', ')
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)])
    const { addresses, by } = await resolver.resolve(host, deadline)
    return ok(`${host} has ${addresses.length === 1 ? 'one address' : `${addresses.length} addresses`}, by ${by}`)
  } catch {
    return failed(`${servers} cannot resolve ${host}`, DNS_REMEDY)
  }
}

const DNS_REMEDY =
  'Set working DNS servers in URLMETA_DNS_SERVERS or /etc/resolv.conf. Without internet access, pass a reachable page with --url.'

async function checkOutbound(config: Config, url: URL, signal: AbortSignal): Promise<Finding> {
  try {
    const { status } = await fetchPage(config, url, signal)
    return ok(`${url.host} responds with status ${status}`)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      const remedy = config.egressProxy === null ? OUTBOUND_REMEDY : PROXY_REMEDY
      return failed(`${url.href}: no response within ${REQUEST_MS / 1_000} s`, remedy)
    }
    if (!(error instanceof FetchError)) throw error
    if (error.failure === 'http_status') return ok(`${url.host} responds with ${error.reason}`)
    if (error.detail?.startsWith('egress proxy')) return failed(`${url.href}: ${error.detail}`, PROXY_REMEDY)
    return failed(`${url.href}: ${error.reason}`, outboundRemedy(error))
  }
}

const OUTBOUND_REMEDY =
  'Allow outbound connections to ports 80 and 443 (firewall, security group). Without internet access, pass a reachable page with --url.'

const PROXY_REMEDY =
  'Correct the address, user and password in URLMETA_EGRESS_PROXY, and let the proxy connect to ports 80 and 443 of any IP address.'

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

function checkRoots(extraFile: string | undefined): Finding {
  if (BUILT_IN_AUTHORITIES === 0) {
    return failed('no built-in certificate authorities', 'Install a release build of urlmeta.')
  }
  if (!extraFile) return ok(`${BUILT_IN_AUTHORITIES} built in`)
  return existsSync(extraFile)
    ? ok(`${BUILT_IN_AUTHORITIES} built in, and those in ${extraFile} (NODE_EXTRA_CA_CERTS)`)
    : failed(`there is no file ${extraFile}`, 'Correct or remove NODE_EXTRA_CA_CERTS.')
}

async function checkBaseUrl(config: Config): Promise<Finding> {
  const baseUrl = publicOrigin(config)
  // With PostgreSQL, servers do not lock a data directory, so none may be running.
  const isRunning = config.database.kind === 'SQLite' ? serverPid(config.dataDir) !== null : null
  if (isRunning === false) return skipped('no server runs')
  const response = await probeUrl(`${baseUrl}/healthz`).catch((error: unknown) => error as Error)
  const isUrlmeta = 'status' in response && response.status === 200 && response.text === '{"status":"ok"}'
  if (!isUrlmeta) {
    const why = 'status' in response ? `HTTP ${response.status}, not from urlmeta` : messageOf(response)
    const remedy =
      'Set URLMETA_BASE_URL to the address that browsers use, and check that DNS and the reverse proxy lead to this server.'
    return (isRunning ? failed : warning)(`${baseUrl}/healthz: ${why}`, remedy)
  }
  if (!isSecureUrl(new URL(baseUrl))) {
    return warning(
      `${baseUrl} is served without TLS`,
      'Put a reverse proxy with TLS in front, and set URLMETA_BASE_URL to its https address: keys and cookies are sent unencrypted.',
    )
  }
  return ok(`${baseUrl} leads to a urlmeta server`)
}

/** The server does not implement TLS, so an https address means that a reverse proxy is in front of it. */
function checkProxy({ baseUrl, trustedProxies }: Config): Finding {
  if (trustedProxies.some(([, bits]) => bits === 0)) {
    return warning(
      'X-Forwarded-For is trusted from every address',
      'Set URLMETA_TRUSTED_PROXIES to the addresses of your reverse proxy only: any client can send this header.',
    )
  }
  if (baseUrl?.startsWith('https:') && trustedProxies.length === 0) {
    return warning(
      'all clients behind the proxy count as one',
      'Add the address of the proxy to URLMETA_TRUSTED_PROXIES, so that its X-Forwarded-For header is used.',
    )
  }
  return trustedProxies.length === 0 ? skipped('none is configured') : ok('its X-Forwarded-For header is trusted')
}

/** Fetches a page through the guard, without a retry as a browser. @throws FetchError, or the reason of the signal */
export async function fetchPage(config: Config, url: URL, signal: AbortSignal) {
  await using fetcher = createFetcher({
    ...networkOptions(config, () => []),
    isDefaultUserAgent: false,
    slots: createFetchSlots(1),
    startScan: (arrived) => new PageScan(arrived),
  })
  return await fetcher.fetch(url, budgetFor(REQUEST_MS, signal))
}

/** The budget of one check for fetching a page. */
export function budgetFor(timeoutMs: number, signal: AbortSignal): Budget {
  const deadlineMs = performance.now() + timeoutMs
  return {
    userId: null,
    publicOnly: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    remainingMs: () => Math.max(0, deadlineMs - performance.now()),
  }
}
