import { existsSync } from 'node:fs'

import { type Config, publicOrigin } from '../../config.ts'
import type { Env } from '../../config/env-reader.ts'
import { messageOf } from '../../core/errors.ts'
import type { Budget } from '../../core/fetch/ports.ts'
import { PageScan } from '../../core/extract/extract.ts'
import { createFetcher, createFetchSlots } from '../../fetch/fetcher.ts'
import { BUILT_IN_AUTHORITIES, probeUrl } from '../../fetch/probe-url.ts'
import { createResolver } from '../../fetch/connection/resolver.ts'
import { type DoctorCheck, failed, type Finding, ok, skipped } from '../../service/operation/doctor.ts'
import {
  authoritiesFinding,
  baseUrlFinding,
  clockFinding,
  ntpFinding,
  outboundFinding,
  reverseProxyFinding,
} from '../../service/operation/doctor/network.ts'
import { serverPid } from '../../store/files/directory-lock.ts'
import { createProvider } from '../../identity/providers.ts'
import { networkOptions } from '../page-settings.ts'
import remedies from '../../service/operation/doctor/remedies.json'

/** Reserved for documentation, so these pages stay available. https://www.rfc-editor.org/rfc/rfc2606 */
export const OUTBOUND_URLS = ['http://example.com/', 'https://example.com/']

/** The deadline of each request, in milliseconds. */
const REQUEST_MS = 8_000

export function networkChecks(config: Config, urls: readonly string[], env: Env): DoctorCheck[] {
  const urlOf = (protocol: string) => urls.map((url) => new URL(url)).find((url) => url.protocol === protocol)
  const [plain, secure] = [urlOf('http:'), urlOf('https:')]
  const first = secure ?? plain!
  const extraFile = env['NODE_EXTRA_CA_CERTS']
  const noPage = async (scheme: string) => skipped(`no ${scheme} URL was passed with --url`)
  return [
    { name: 'clock', run: () => checkClock(first) },
    { name: 'DNS', run: (signal) => checkDns(config, first.hostname, signal) },
    { name: 'outbound HTTP', run: (signal) => (plain ? checkOutbound(config, plain, signal) : noPage('http')) },
    { name: 'outbound HTTPS', run: (signal) => (secure ? checkOutbound(config, secure, signal) : noPage('https')) },
    {
      name: 'certificate authorities',
      run: async () =>
        authoritiesFinding(BUILT_IN_AUTHORITIES, extraFile ? { path: extraFile, exists: existsSync(extraFile) } : null),
    },
    { name: 'base URL', run: () => checkBaseUrl(config) },
    { name: 'reverse proxy', run: async () => reverseProxyFinding(config.baseUrl, config.trustedProxies) },
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
  return ntpFinding(await isSynchronized().catch(() => null), url.host)
}

/** Whether any NTP client has set the clock; null for an unexpected answer. @throws Error without systemd */
async function isSynchronized(): Promise<boolean | null> {
  const command = ['timedatectl', 'show', '--property=NTPSynchronized', '--value']
  const answer = await Bun.spawn(command, { stderr: 'ignore', timeout: REQUEST_MS }).stdout.text()
  return answer === 'yes\n' ? true : answer === 'no\n' ? false : null
}

async function checkDns({ dnsServers }: Config, host: string, signal: AbortSignal): Promise<Finding> {
  using resolver = createResolver({ servers: dnsServers })
  const servers = dnsServers === null ? "the system's resolver" : dnsServers.join(', ')
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)])
    const { addresses, by } = await resolver.resolve(host, deadline)
    return ok(`${host} has ${addresses.length === 1 ? 'one address' : `${addresses.length} addresses`}, by ${by}`)
  } catch {
    return failed(`${servers} cannot resolve ${host}`, remedies.host_not_found)
  }
}

async function checkOutbound(config: Config, url: URL, signal: AbortSignal): Promise<Finding> {
  try {
    const { status } = await fetchPage(config, url, signal)
    return ok(`${url.host} responds with status ${status}`)
  } catch (error) {
    return outboundFinding(url, error, REQUEST_MS, config.egressProxy !== null)
  }
}

async function checkBaseUrl(config: Config): Promise<Finding> {
  const baseUrl = publicOrigin(config)
  // With PostgreSQL, servers do not lock a data directory, so it is unknown whether a server runs.
  const isRunning = config.database.kind === 'SQLite' ? serverPid(config.dataDir) !== null : null
  if (isRunning === false) return skipped('no server runs')
  const health = await probeUrl(`${baseUrl}/healthz`).catch((error: unknown) => error as Error)
  return baseUrlFinding(baseUrl, health, isRunning)
}

/**
 * Fetches a page through the guard, without a second attempt as a browser.
 * @throws FetchError, or the reason of the signal
 */
export async function fetchPage(config: Config, url: URL, signal: AbortSignal) {
  await using fetcher = createFetcher({
    ...networkOptions(config, () => config.live),
    isDefaultUserAgent: false,
    slots: createFetchSlots(1),
    startScan: (arrived) => new PageScan(arrived),
  })
  return await fetcher.fetch(url, budgetFor(REQUEST_MS, signal))
}

export function budgetFor(timeoutMs: number, signal: AbortSignal): Budget {
  const deadlineMs = performance.now() + timeoutMs
  return {
    userId: null,
    publicOnly: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    remainingMs: () => Math.max(0, deadlineMs - performance.now()),
  }
}
