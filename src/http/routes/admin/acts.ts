import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { parsePlanName } from '../../../core/plan.ts'
import type { Operators } from '../../../service/operators.ts'
import { type Door, redirect } from '../../door.ts'
import type { NoticeName } from '../../notices.ts'
import { adminUserPath } from './user.tsx'

/** Operator actions on a user; each is recorded in the audit log. */
export function adminActRoutes({ door, operators }: { door: Door; operators: Operators }) {
  // A form submitted twice changes nothing the second time, so no notice is shown.
  const back = (userId: string, notice: NoticeName, hasChanged: boolean) =>
    hasChanged ? door.goTo(adminUserPath(userId), { notice }) : redirect(adminUserPath(userId))

  return new Elysia({ prefix: '/admin/users/:id' })
    .use(door.operators)
    .post('/plan', async ({ member, form, params }) => {
      const plan = parsePlanName(form('plan'))
      if (plan === null) throw new AppError('invalid_request', 'There is no such plan')
      return back(params.id, 'plan_changed', await operators.setPlan(member.user, params.id, plan))
    })
    .post('/suspend', async ({ member, params }) => {
      return back(params.id, 'user_suspended', await operators.suspend(member.user, params.id))
    })
    .post('/resume', async ({ member, params }) => {
      return back(params.id, 'user_resumed', await operators.resume(member.user, params.id))
    })
    .post('/disconnect', async ({ member, params }) => {
      return back(params.id, 'user_disconnected', await operators.disconnect(member.user, params.id))
    })
    .post('/keys/:keyId/deactivate', async ({ member, params }) => {
      const hasChanged = await operators.deactivateKey(member.user, params.id, params.keyId)
      return back(params.id, 'key_deactivated', hasChanged)
    })
}
