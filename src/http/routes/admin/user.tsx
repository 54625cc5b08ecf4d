import { Elysia } from 'elysia'

import { PLAN_NAMES } from '../../../core/plan.ts'
import { AdminUserPage } from '../../../../views/admin/user.tsx'
import { adminUserOf, auditItemOf } from '../../pages/admin-items.ts'
import { keyItemOf } from '../../pages/key-item.ts'
import { queryOf } from '../../server/query.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import type { RouteDeps } from '../route-deps.ts'

export function adminUserPath(userId: string): string {
  return `/admin/users/${encodeURIComponent(userId)}`
}

/** `/admin/users/<id>`: one user. */
export const adminUserRoutes = ({ auth, operators, rules }: RouteDeps) =>
  new Elysia().use(auth.operatorOnly).get('/admin/users/:id', async ({ request, context, params }) => {
    const page = pageNumber(queryOf(request)('page'))
    const { user, keys, actions } = await operators.user(params.id, page)
    return context.render({ path: adminUserPath(user.id) }, (frame) => (
      <AdminUserPage
        frame={frame}
        user={adminUserOf(user, rules)}
        keys={keys.keys.map((key) => keyItemOf(key, frame.nowMs))}
        paging={pagingOf(page, keys.total)}
        plans={PLAN_NAMES.map((name) => rules.plans[name])}
        audit={actions.map(auditItemOf)}
      />
    ))
  })
