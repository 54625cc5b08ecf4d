import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { AdminUsers } from '../../../../views/admin/users.tsx'
import type { Operators } from '../../../service/operators.ts'
import { adminUserOf, type AdminItemRules } from '../../admin-items.ts'
import type { Door } from '../../door.ts'
import { queryOf } from '../../metadata-query.ts'
import { pageNumber, pagingOf } from '../../paging.ts'

export interface AdminUsersRouteParts {
  door: Door
  operators: Operators
  rules: AdminItemRules
}

/** `/admin`: all users, or the results of a search. */
export const adminUsersRoutes = ({ door, operators, rules }: AdminUsersRouteParts) =>
  new Elysia().use(door.operators).get('/admin', async ({ request, visitor }) => {
    const query = queryOf(request)
    const text = query('q')?.trim() ?? ''
    const page = pageNumber(query('page'))
    const { users, total } = await operators.users(text, page)
    return visitor.show({ path: '/admin' }, (frame) => (
      <AdminUsers
        frame={frame}
        query={text}
        users={users.map((user) => adminUserOf(user, rules))}
        total={total}
        paging={pagingOf(page, total)}
      />
    ))
  })
