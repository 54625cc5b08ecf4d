import { Elysia } from 'elysia'

import { AdminAuditPage } from '../../../../views/admin/audit.tsx'
import { AdminHealthPage } from '../../../../views/admin/health.tsx'
import { AdminRequestsPage } from '../../../../views/admin/requests.tsx'
import { AdminSettingsPage } from '../../../../views/admin/settings.tsx'
import { CHART_DAYS } from '../../../../views/ui/chart-days.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import { requestItemOf } from '../../pages/request-item.ts'
import { queryOf } from '../../server/query.ts'
import type { RouteContext } from '../route-context.ts'

/** How long a response waits for a backup, in milliseconds. A small database is copied within this time. */
const BACKUP_WAIT_MS = 5_000

/** The pages about the server: its health, all operator actions, and the configuration in effect. */
export function adminServerRoutes(deps: RouteContext) {
  const { auth, keyRing, operators, requestLogs, health, variables } = deps
  return new Elysia({ prefix: '/admin' })
    .use(auth.operatorOnly)
    .get('/health', async ({ context }) =>
      context.render({ path: '/admin/health' }, AdminHealthPage, await health(CHART_DAYS)),
    )
    .get('/requests', async ({ request, context }) => {
      const id = queryOf(request)('id')?.trim() ?? ''
      const logged = id === '' ? null : await requestLogs.find(null, id)
      const found = logged && {
        ...requestItemOf(logged, await keyRing.all(logged.userId)),
        owner: await operators.find(logged.userId),
      }
      return context.render({ path: '/admin/requests' }, AdminRequestsPage, { id, found })
    })
    .get('/audit', async ({ request, context }) => {
      const page = pageNumber(queryOf(request)('page'))
      const { entries, total } = await operators.actions(page)
      return context.render({ path: '/admin/audit' }, AdminAuditPage, { entries, paging: pagingOf(page, total) })
    })
    .post('/health/backup', async ({ viewer }) => {
      const result = await Promise.race([operators.backUp(viewer.user), Bun.sleep(BACKUP_WAIT_MS)])
      return auth.redirectWithNotice('/admin/health', `backup_${result ?? 'running'}`)
    })
    .get('/settings', ({ request, context }) => {
      const isChangedOnly = queryOf(request)('changed') === 'only'
      return context.render({ path: '/admin/settings' }, AdminSettingsPage, { settings: variables(), isChangedOnly })
    })
}
