import { Elysia } from 'elysia'

import { AppError } from '../../core/errors.ts'
import { classifyAddress } from '../../core/net/address.ts'
import { isSameSecret } from '../../core/accounts/token.ts'
import { compressed } from '../server/compression.ts'
import type { FailedAuthentications } from '../../service/usage/failed-authentications.ts'
import type { PeerOf } from '../server/remote-addresses.ts'
import type { RequestFacts } from '../server/request-facts.ts'

export interface MetricsRouteDeps extends Pick<RequestFacts, 'peerOf' | 'clientOf'> {
  /** Null allows only loopback peers. */
  metricsToken: string | null
  metrics: { scrape(): Promise<string>; contentType: string }
  failedAuthentications: FailedAuthentications
}

/** `/metrics`: counters and gauges of this process, for Prometheus. */
export const metricsRoutes = ({ metricsToken, metrics, failedAuthentications, peerOf, clientOf }: MetricsRouteDeps) =>
  new Elysia().get('/metrics', async ({ request }) => {
    if (metricsToken === null) requireLocalPeer(request, peerOf)
    else if (!hasToken(request, metricsToken)) {
      await failedAuthentications.count(clientOf(request))
      throw new AppError('token_required', 'Invalid metrics token')
    }
    const headers = { 'content-type': metrics.contentType, 'cache-control': 'no-store' }
    return compressed(request, await metrics.scrape(), { headers })
  })

function hasToken({ headers }: Request, token: string): boolean {
  const [, given = ''] = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  return isSameSecret(given, token)
}

/** Headers that reverse proxies add. Behind a proxy on this machine, every request has a loopback peer. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** @throws AppError `forbidden` */
function requireLocalPeer(request: Request, peerOf: PeerOf): void {
  const isProxied = PROXY_HEADERS.some((name) => request.headers.has(name))
  if (classifyAddress(peerOf(request)) === 'loopback' && !isProxied) return
  throw new AppError('forbidden', 'Set URLMETA_METRICS_TOKEN to read metrics from other machines or through a proxy')
}
