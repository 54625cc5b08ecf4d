import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import type { SessionKeeper } from '../../../service/sessions.ts'
import type { Door } from '../../door.ts'

/** Signs out one other session, or all other sessions. */
export const accountSessionRoutes = ({ door, sessions }: { door: Door; sessions: SessionKeeper }) =>
  new Elysia()
    .use(door.members)
    .post('/account/sessions/revoke-others', async ({ member }) => {
      await sessions.revokeOthers(member.user.id, member.sessionId)
      return door.goTo('/account', { notice: 'other_sessions_ended' })
    })
    .post('/account/sessions/:id/revoke', async ({ member, params }) => {
      const ended = await sessions.revoke(member.user.id, params.id)
      if (!ended) throw new AppError('not_found', 'You have no such session')
      return door.goTo('/account', { notice: 'session_ended' })
    })
