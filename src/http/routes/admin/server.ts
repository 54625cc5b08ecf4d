import { Elysia } from 'elysia'

import { AdminAuditPage } from '../../../../views/admin/audit.tsx'
import { AdminHealthPage } from '../../../../views/admin/health.tsx'
import { AdminSettingsPage } from '../../../../views/admin/settings.tsx'
import { CHART_DAYS } from '../../../../views/ui/chart-days.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import { queryOf } from '../../server/query.ts'
import type { RouteContext } from '../route-context.ts'

/** The pages about the server: its health, all operator actions, and the configuration in effect. */
export function adminServerRoutes(deps: RouteContext) {
  const { auth, operators, runtimeStatus, dayReport, serverUsage, variables } = deps
  return new Elysia({ prefix: '/admin' })
    .use(auth.operatorOnly)
    .get('/health', async ({ context }) => {
      const [now, days] = await Promise.all([runtimeStatus(), serverUsage.days(CHART_DAYS)])
      const { failuresByReason, failingHosts, ...day } = dayReport()
      const report = { days, day, failuresByReason, failingHosts }
      return context.render({ path: '/admin/health' }, AdminHealthPage, { ...now, ...report })
    })
    .get('/audit', async ({ request, context }) => {
      const page = pageNumber(queryOf(request)('page'))
      const { entries, total } = await operators.actions(page)
      return context.render({ path: '/admin/audit' }, AdminAuditPage, { entries, paging: pagingOf(page, total) })
    })
    .get('/settings', ({ context }) =>
      context.render({ path: '/admin/settings' }, AdminSettingsPage, { settings: variables() }),
    )
}
