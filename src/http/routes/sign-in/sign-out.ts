import { Elysia } from 'elysia'

import type { SessionKeeper } from '../../../service/sessions.ts'
import type { Cookies } from '../../cookies.ts'
import type { Door } from '../../door.ts'

/** `POST /sign-out`: ends the session on the server and deletes its cookie. */
export const signOutRoutes = ({ door, sessions, cookies }: { door: Door; sessions: SessionKeeper; cookies: Cookies }) =>
  new Elysia().use(door.members).post('/sign-out', async ({ member }) => {
    await sessions.revoke(member.user.id, member.sessionId)
    return door.goTo('/sign-in', { notice: 'signed_out', cookies: [cookies.clear('urlmeta_session')] })
  })
