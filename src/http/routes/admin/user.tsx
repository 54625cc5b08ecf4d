import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { PLAN_NAMES } from '../../../core/plan.ts'
import type { Operators } from '../../../service/operators.ts'
import { AdminUser } from '../../../../views/admin/user.tsx'
import { adminUserOf, type AdminItemRules, auditItemOf } from '../../admin-items.ts'
import type { Door } from '../../door.ts'
import { keyItemOf } from '../../key-item.ts'

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
  new Elysia().use(door.operators).get('/admin/users/:id', async ({ visitor, params }) => {
    const { user, keys, acts } = await operators.user(params.id)
    return visitor.show({ path: adminUserPath(user.id) }, (frame) => (
      <AdminUser
        frame={frame}
        user={adminUserOf(user, rules)}
        keys={keys.map(keyItemOf)}
        plans={PLAN_NAMES.map((name) => rules.plans[name])}
        audit={acts.map(auditItemOf)}
      />
    ))
  })
