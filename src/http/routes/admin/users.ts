import { Elysia } from 'elysia'

import { MAX_EMAIL_CHARACTERS } from '../../../core/accounts/email.ts'
import type { ListedUser, User } from '../../../core/accounts/ports.ts'
import { AppError } from '../../../core/errors.ts'
import { MAX_COUNTED_USERS } from '../../../core/limits.ts'
import { limitsOf, parsePlanName, planLabelOf } from '../../../core/plan.ts'
import { CHART_DAYS } from '../../../../views/ui/chart-days.ts'
import { AdminUserPage } from '../../../../views/admin/user.tsx'
import { AdminUsersPage, adminUserPath, type UserListFilter } from '../../../../views/admin/users.tsx'
import { keyItemOf } from '../../pages/key-item.ts'
import { limitFields, readLimits } from '../../pages/limit-form.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import { queryOf } from '../../server/query.ts'
import type { UserRequest } from '../../session/auth.ts'
import type { Form } from '../../session/form.ts'
import { redirect } from '../../session/request-context.ts'
import type { NoticeName } from '../../session/notices.ts'
import type { RouteContext } from '../route-context.ts'

const IS_SUSPENDED = new Map([
  ['active', false],
  ['suspended', true],
])

type Opened = Pick<UserRequest, 'context'> & { request: Request; params: { id: string } }

/** `/admin`: all users, or a search; `/admin/users/<id>`: one user, and actions, each recorded in the audit log. */
export function adminUserRoutes({ auth, operators, reports, settings, operatorEmails, now }: RouteContext) {
  const itemOf = (user: ListedUser & { used: number }) => {
    const limits = limitsOf(settings(), user)
    const isOperator = operatorEmails.includes(user.email)
    return { ...user, planLabel: planLabelOf(limits), monthLimit: limits.perMonth, isOperator }
  }

  /** `form` is an invalid one, which is shown again. */
  async function show({ request, context, params }: Opened, form?: Form) {
    const page = pageNumber(queryOf(request)('page'))
    const { user, keys, actions } = await operators.user(params.id, page)
    const { plans } = settings()
    return context.render({ path: adminUserPath(user.id), status: form ? 400 : 200 }, AdminUserPage, {
      user: itemOf(user),
      days: await reports.days(user.id, CHART_DAYS, null),
      keys: keys.keys.map((key) => keyItemOf(key, now())),
      paging: pagingOf(page, keys.total),
      plans: Object.values(plans),
      limitFields: limitFields(plans[user.plan], user, form),
      audit: actions,
    })
  }

  // A form submitted twice changes nothing the second time, so no notice is shown.
  const redirectBack = (userId: string, notice: NoticeName, hasChanged: boolean) =>
    hasChanged ? auth.redirectWithNotice(adminUserPath(userId), notice) : redirect(adminUserPath(userId))

  type Change = (operator: User, userId: string) => Promise<boolean>
  const change =
    (notice: NoticeName, apply: Change) =>
    async ({ viewer, params }: Pick<UserRequest, 'viewer'> & Pick<Opened, 'params'>) =>
      redirectBack(params.id, notice, await apply(viewer.user, params.id))

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
    .get('/users/:id', ({ request, context, params }) => show({ request, context, params }))
    .post('/users/:id/plan', async ({ viewer, form, params }) => {
      const plan = parsePlanName(form('plan'))
      if (plan === null) throw new AppError('invalid_request', 'Unknown plan')
      return redirectBack(params.id, 'plan_changed', await operators.setPlan(viewer.user, params.id, plan))
    })
    .post('/users/:id/limits', async ({ request, context, viewer, form, params }) => {
      const limits = readLimits(form)
      if (limits === null) return show({ request, context, params }, form)
      const hasChanged = await operators.setLimits(viewer.user, params.id, limits)
      return redirectBack(params.id, 'limits_changed', hasChanged)
    })
    .post('/users/:id/suspend', change('user_suspended', operators.suspend))
    .post('/users/:id/resume', change('user_resumed', operators.resume))
    .post('/users/:id/disconnect', change('user_disconnected', operators.disconnect))
    .post('/users/:id/keys/:keyId/deactivate', async ({ viewer, params }) => {
      const hasChanged = await operators.deactivateKey(viewer.user, params.id, params.keyId)
      return redirectBack(params.id, 'key_deactivated', hasChanged)
    })
}
