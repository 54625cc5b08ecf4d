import { Elysia } from 'elysia'

import { MAX_EMAIL_CHARACTERS } from '../../../core/accounts/email.ts'
import type { ListedUser } from '../../../core/accounts/ports.ts'
import { AppError } from '../../../core/errors.ts'
import { MAX_COUNTED_USERS } from '../../../core/limits.ts'
import { parsePlanName } from '../../../core/plan.ts'
import { AdminUserPage } from '../../../../views/admin/user.tsx'
import { AdminUsersPage, adminUserPath, type UserListFilter } from '../../../../views/admin/users.tsx'
import { keyItemOf } from '../../pages/key-item.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import { queryOf } from '../../server/query.ts'
import { redirect } from '../../session/request-context.ts'
import type { NoticeName } from '../../session/notices.ts'
import type { RouteContext } from '../route-context.ts'

const IS_SUSPENDED = new Map([
  ['active', false],
  ['suspended', true],
])

/** `/admin`: all users, or a search; `/admin/users/<id>`: one user, and actions, each recorded in the audit log. */
export function adminUserRoutes({ auth, operators, settings, operatorEmails, now }: RouteContext) {
  const itemOf = (user: ListedUser & { used: number }) => {
    const { label, perMonth } = settings().plans[user.plan]
    return { ...user, planLabel: label, monthLimit: perMonth, isOperator: operatorEmails.includes(user.email) }
  }

  // A form submitted twice changes nothing the second time, so no notice is shown.
  const redirectBack = (userId: string, notice: NoticeName, hasChanged: boolean) =>
    hasChanged ? auth.redirectWithNotice(adminUserPath(userId), notice) : redirect(adminUserPath(userId))

  return new Elysia({ prefix: '/admin' })
    .use(auth.operatorOnly)
    .get('', async ({ request, context }) => {
      const query = queryOf(request)
      const filter: UserListFilter = {
        text: query('q')?.trim().slice(0, MAX_EMAIL_CHARACTERS) ?? '',
        plan: parsePlanName(query('plan') ?? ''),
        isSuspended: IS_SUSPENDED.get(query('status') ?? '') ?? null,
        sort: query('sort') === 'usage' ? 'usage' : 'newest',
      }
      const page = pageNumber(query('page'))
      const { users, total } = await operators.users({ ...filter, page })
      return context.render({ path: '/admin' }, AdminUsersPage, {
        filter,
        plans: Object.values(settings().plans),
        users: users.map(itemOf),
        total,
        maxTotal: MAX_COUNTED_USERS,
        paging: pagingOf(page, total),
      })
    })
    .get('/users/:id', async ({ request, context, params }) => {
      const page = pageNumber(queryOf(request)('page'))
      const { user, keys, actions } = await operators.user(params.id, page)
      return context.render({ path: adminUserPath(user.id) }, AdminUserPage, {
        user: itemOf(user),
        keys: keys.keys.map((key) => keyItemOf(key, now())),
        paging: pagingOf(page, keys.total),
        plans: Object.values(settings().plans),
        audit: actions,
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
