import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { MAX_COUNTED_USERS } from '../../../core/limits.ts'
import { PLAN_NAMES, parsePlanName } from '../../../core/plan.ts'
import { AdminUserPage } from '../../../../views/admin/user.tsx'
import { AdminUsersPage, adminUserPath, type UserListFilter } from '../../../../views/admin/users.tsx'
import { adminUserOf, auditItemOf } from '../../pages/admin-items.ts'
import { keyItemOf } from '../../pages/key-item.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import { queryOf } from '../../server/query.ts'
import { redirect } from '../../session/auth.ts'
import type { NoticeName } from '../../session/notices.ts'
import type { RouteDeps } from '../route-deps.ts'

const STATUSES = ['active', 'suspended'] as const

/** `/admin`: all users, or a search; `/admin/users/<id>`: one user, and actions, each recorded in the audit log. */
export function adminUserRoutes({ auth, operators, plans, operatorEmails, now }: RouteDeps) {
  const rules = { plans, operatorEmails }

  // A form submitted twice changes nothing the second time, so no notice is shown.
  const redirectBack = (userId: string, notice: NoticeName, hasChanged: boolean) =>
    hasChanged ? auth.redirectWithNotice(adminUserPath(userId), notice) : redirect(adminUserPath(userId))

  return new Elysia({ prefix: '/admin' })
    .use(auth.operatorOnly)
    .get('', async ({ request, context }) => {
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
      return context.render({ path: '/admin' }, AdminUsersPage, {
        filter,
        plans: PLAN_NAMES.map((name) => plans[name]),
        users: users.map((user) => adminUserOf(user, rules)),
        total,
        maxTotal: MAX_COUNTED_USERS,
        paging: pagingOf(page, total),
      })
    })
    .get('/users/:id', async ({ request, context, params }) => {
      const page = pageNumber(queryOf(request)('page'))
      const { user, keys, actions } = await operators.user(params.id, page)
      return context.render({ path: adminUserPath(user.id) }, AdminUserPage, {
        user: adminUserOf(user, rules),
        keys: keys.keys.map((key) => keyItemOf(key, now())),
        paging: pagingOf(page, keys.total),
        plans: PLAN_NAMES.map((name) => plans[name]),
        audit: actions.map(auditItemOf),
      })
    })
    .post('/users/:id/plan', async ({ viewer, form, params }) => {
      const plan = parsePlanName(form('plan'))
      if (plan === null) throw new AppError('invalid_request', 'Unknown plan')
      return redirectBack(params.id, 'plan_changed', await operators.setPlan(viewer.user, params.id, plan))
    })
    .post('/users/:id/suspend', async ({ viewer, params }) => {
      return redirectBack(params.id, 'user_suspended', await operators.suspend(viewer.user, params.id))
    })
    .post('/users/:id/resume', async ({ viewer, params }) => {
      return redirectBack(params.id, 'user_resumed', await operators.resume(viewer.user, params.id))
    })
    .post('/users/:id/disconnect', async ({ viewer, params }) => {
      return redirectBack(params.id, 'user_disconnected', await operators.disconnect(viewer.user, params.id))
    })
    .post('/users/:id/keys/:keyId/deactivate', async ({ viewer, params }) => {
      const hasChanged = await operators.deactivateKey(viewer.user, params.id, params.keyId)
      return redirectBack(params.id, 'key_deactivated', hasChanged)
    })
}
