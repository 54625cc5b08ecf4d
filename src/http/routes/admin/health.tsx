import { Elysia } from 'elysia'

import { AdminHealthPage, SERVER_CHART_DAYS } from '../../../../views/admin/health.tsx'
import type { RouteDeps } from '../route-deps.ts'

/** `/admin/health`: fetches, Chromium, cache and failures. */
export const adminHealthRoutes = ({ auth, runtimeStatus, dayReport, serverUsage }: RouteDeps) =>
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
