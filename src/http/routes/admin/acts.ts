import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { parsePlanName } from '../../../core/plan.ts'
import type { Operators } from '../../../service/operators.ts'
import type { Door } from '../../door.ts'
import { adminUserPath } from './user.tsx'

/** What operators do to a user; each act goes into the audit log. */
export const adminActRoutes = ({ door, operators }: { door: Door; operators: Operators }) =>
  new Elysia({ prefix: '/admin/users/:id' })
    .use(door.operators)
    .post('/plan', async ({ member, form, params }) => {
      const plan = parsePlanName(form('plan'))
      if (plan === null) throw new AppError('invalid_request', 'There is no such plan')
      await operators.setPlan(member.user, params.id, plan)
      return door.goTo(adminUserPath(params.id), { notice: 'plan_changed' })
    })
    .post('/suspend', async ({ member, params }) => {
      await operators.suspend(member.user, params.id)
      return door.goTo(adminUserPath(params.id), { notice: 'user_suspended' })
    })
    .post('/resume', async ({ member, params }) => {
      await operators.resume(member.user, params.id)
      return door.goTo(adminUserPath(params.id), { notice: 'user_resumed' })
    })
    .post('/keys/:keyId/deactivate', async ({ member, params }) => {
      await operators.deactivateKey(member.user, params.id, params.keyId)
      return door.goTo(adminUserPath(params.id), { notice: 'key_deactivated' })
    })
