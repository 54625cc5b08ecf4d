import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { AdminUsersPage } from '../../../../views/admin/users.tsx'
import type { Operators } from '../../../service/operators.ts'
import { adminUserOf, type AdminItemRules } from '../../admin-items.ts'
import type { Auth } from '../../auth.ts'
import { queryOf } from '../../metadata-query.ts'
import { pageNumber, pagingOf } from '../../paging.ts'

export interface AdminUsersRouteDeps {
  auth: Auth
  operators: Operators
  rules: AdminItemRules
}

/** `/admin`: all users, or the results of a search. */
export const adminUsersRoutes = ({ auth, operators, rules }: AdminUsersRouteDeps) =>
  new Elysia().use(auth.operatorOnly).get('/admin', async ({ request, context }) => {
    const query = queryOf(request)
    const text = query('q')?.trim() ?? ''
    const page = pageNumber(query('page'))
    const { users, total } = await operators.users(text, page)
    return context.render({ path: '/admin' }, (frame) => (
      <AdminUsersPage
        frame={frame}
        query={text}
        users={users.map((user) => adminUserOf(user, rules))}
        total={total}
        paging={pagingOf(page, total)}
      />
    ))
  })
