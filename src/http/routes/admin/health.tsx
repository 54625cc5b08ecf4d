import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import type { ServerUsage } from '../../../service/usage/server-usage.ts'
import type { DayReport } from '../../../service/operation/statistics.ts'
import { AdminHealthPage, type AdminHealthProps, SERVER_CHART_DAYS } from '../../../../views/admin/health.tsx'
import type { Auth } from '../../session/auth.ts'

/** The current state of fetches, Chromium, cache, database, Redis and backups. */
export type RuntimeStatus = Pick<
  AdminHealthProps,
  'startedAtMs' | 'fetches' | 'chromium' | 'cache' | 'database' | 'redis' | 'backup'
>

export interface AdminHealthRouteDeps {
  auth: Auth
  runtimeStatus: () => Promise<RuntimeStatus>
  /** The last 24 hours. */
  dayReport: () => DayReport
  serverUsage: ServerUsage
}

/** `/admin/health`: fetches, Chromium, cache and failures. */
export const adminHealthRoutes = ({ auth, runtimeStatus, dayReport, serverUsage }: AdminHealthRouteDeps) =>
  new Elysia().use(auth.operatorOnly).get('/admin/health', async ({ context }) => {
    const [now, days] = await Promise.all([runtimeStatus(), serverUsage.days(SERVER_CHART_DAYS)])
    const { failuresByReason, failingHosts, ...day } = dayReport()
    return context.render({ path: '/admin/health' }, (frame) => (
      <AdminHealthPage
        frame={frame}
        {...now}
        days={days}
        day={day}
        failuresByReason={failuresByReason}
        failingHosts={failingHosts}
      />
    ))
  })
