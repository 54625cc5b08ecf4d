import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { PLAN_NAMES } from '../../../core/plan.ts'
import type { Operators } from '../../../service/operators.ts'
import { AdminUser } from '../../../../views/admin/user.tsx'
import { adminUserOf, type AdminItemRules, auditItemOf } from '../../admin-items.ts'
import type { Door } from '../../door.ts'
import { keyItemOf } from '../../key-item.ts'
import { queryOf } from '../../metadata-query.ts'
import { pageNumber, pagingOf } from '../../paging.ts'

export interface AdminUserRouteParts {
  door: Door
  operators: Operators
  rules: AdminItemRules
}

/** The path of a user's page. */
export function adminUserPath(userId: string): string {
  return `/admin/users/${encodeURIComponent(userId)}`
}

/** `/admin/users/<id>`: one user. */
export const adminUserRoutes = ({ door, operators, rules }: AdminUserRouteParts) =>
  new Elysia().use(door.operators).get('/admin/users/:id', async ({ request, visitor, params }) => {
    const page = pageNumber(queryOf(request)('page'))
    const { user, keys, acts } = await operators.user(params.id, page)
    return visitor.show({ path: adminUserPath(user.id) }, (frame) => (
      <AdminUser
        frame={frame}
        user={adminUserOf(user, rules)}
        keys={keys.keys.map(keyItemOf)}
        paging={pagingOf(page, keys.total)}
        plans={PLAN_NAMES.map((name) => rules.plans[name])}
        audit={acts.map(auditItemOf)}
      />
    ))
  })
