import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { parsePlanName } from '../../../core/plan.ts'
import { redirect } from '../../session/auth.ts'
import type { NoticeName } from '../../session/notices.ts'
import { adminUserPath } from './user.tsx'
import type { RouteDeps } from '../route-deps.ts'

/** Operator actions on a user; each is recorded in the audit log. */
export function adminActionRoutes({ auth, operators }: RouteDeps) {
  // A form submitted twice changes nothing the second time, so no notice is shown.
  const redirectBack = (userId: string, notice: NoticeName, hasChanged: boolean) =>
    hasChanged ? auth.redirectWithNotice(adminUserPath(userId), { notice }) : redirect(adminUserPath(userId))

  return new Elysia({ prefix: '/admin/users/:id' })
    .use(auth.operatorOnly)
    .post('/plan', async ({ viewer, form, params }) => {
      const plan = parsePlanName(form('plan'))
      if (plan === null) throw new AppError('invalid_request', 'Unknown plan')
      return redirectBack(params.id, 'plan_changed', await operators.setPlan(viewer.user, params.id, plan))
    })
    .post('/suspend', async ({ viewer, params }) => {
      return redirectBack(params.id, 'user_suspended', await operators.suspend(viewer.user, params.id))
    })
    .post('/resume', async ({ viewer, params }) => {
      return redirectBack(params.id, 'user_resumed', await operators.resume(viewer.user, params.id))
    })
    .post('/disconnect', async ({ viewer, params }) => {
      return redirectBack(params.id, 'user_disconnected', await operators.disconnect(viewer.user, params.id))
    })
    .post('/keys/:keyId/deactivate', async ({ viewer, params }) => {
      const hasChanged = await operators.deactivateKey(viewer.user, params.id, params.keyId)
      return redirectBack(params.id, 'key_deactivated', hasChanged)
    })
}
