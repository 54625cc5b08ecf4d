import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import type { Operators } from '../../../service/operators.ts'
import { AdminAudit } from '../../../../views/admin/audit.tsx'
import { auditItemOf } from '../../admin-items.ts'
import type { Door } from '../../door.ts'
import { queryOf } from '../../metadata-query.ts'
import { pageNumber, pagingOf } from '../../paging.ts'

/** `/admin/audit`: all operator actions. */
export const adminAuditRoutes = ({ door, operators }: { door: Door; operators: Operators }) =>
  new Elysia().use(door.operators).get('/admin/audit', async ({ request, visitor }) => {
    const page = pageNumber(queryOf(request)('page'))
    const { entries, total } = await operators.acts(page)
    return visitor.show({ path: '/admin/audit' }, (frame) => (
      <AdminAudit frame={frame} entries={entries.map(auditItemOf)} paging={pagingOf(page, total)} />
    ))
  })
