import { Elysia } from 'elysia'

import { MAX_COUNTED_USERS } from '../../../core/limits.ts'
import { PLAN_NAMES, parsePlanName } from '../../../core/plan.ts'
import { AdminUsersPage, type UserListFilter } from '../../../../views/admin/users.tsx'
import { adminUserOf } from '../../pages/admin-items.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import { queryOf } from '../../server/query.ts'
import type { RouteDeps } from '../route-deps.ts'

/** `/admin`: all users, or those that match a search. */
export const adminUsersRoutes = ({ auth, operators, rules }: RouteDeps) =>
  new Elysia().use(auth.operatorOnly).get('/admin', async ({ request, context }) => {
    const query = queryOf(request)
    const filter: UserListFilter = {
      text: query('q')?.trim() ?? '',
      plan: parsePlanName(query('plan') ?? '') ?? '',
      status: STATUSES.find((status) => status === query('status')) ?? '',
      sort: query('sort') === 'usage' ? 'usage' : 'newest',
    }
    const page = pageNumber(query('page'))
    const { users, total } = await operators.users({
      text: filter.text,
      plan: filter.plan === '' ? null : filter.plan,
      isSuspended: filter.status === '' ? null : filter.status === 'suspended',
      page,
      sort: filter.sort,
    })
    return context.render({ path: '/admin' }, (frame) => (
      <AdminUsersPage
        frame={frame}
        filter={filter}
        plans={PLAN_NAMES.map((name) => rules.plans[name])}
        users={users.map((user) => adminUserOf(user, rules))}
        total={total}
        maxTotal={MAX_COUNTED_USERS}
        paging={pagingOf(page, total)}
      />
    ))
  })

const STATUSES = ['active', 'suspended'] as const
