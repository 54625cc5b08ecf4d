import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import type { RouteDeps } from '../route-deps.ts'

/** Signs out one other session, or all other sessions. */
export const accountSessionRoutes = ({ auth, sessions }: RouteDeps) =>
  new Elysia()
    .use(auth.signedInUser)
    .post('/account/sessions/revoke-others', async ({ viewer }) => {
      await sessions.revokeOthers(viewer.user.id, viewer.sessionId)
      return auth.redirectWithNotice('/account', { notice: 'other_sessions_ended' })
    })
    .post('/account/sessions/:id/revoke', async ({ viewer, params }) => {
      const revoked = await sessions.revoke(viewer.user.id, params.id)
      if (!revoked) throw new AppError('not_found', 'Session not found')
      return auth.redirectWithNotice('/account', { notice: 'session_ended' })
    })
