import { Elysia } from 'elysia'

import { AdminAuditPage } from '../../../../views/admin/audit.tsx'
import { auditItemOf } from '../../pages/admin-items.ts'
import { queryOf } from '../../server/query.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import type { RouteDeps } from '../route-deps.ts'

/** `/admin/audit`: all operator actions. */
export const adminAuditRoutes = ({ auth, operators }: RouteDeps) =>
  new Elysia().use(auth.operatorOnly).get('/admin/audit', async ({ request, context }) => {
    const page = pageNumber(queryOf(request)('page'))
    const { entries, total } = await operators.actions(page)
    return context.render({ path: '/admin/audit' }, (frame) => (
      <AdminAuditPage frame={frame} entries={entries.map(auditItemOf)} paging={pagingOf(page, total)} />
    ))
  })
