import { Elysia } from 'elysia'

import type { SessionService } from '../../../service/accounts/sessions.ts'
import type { Cookies } from '../../session/cookies.ts'
import type { Auth } from '../../session/auth.ts'

/** `POST /sign-out`: ends the session on the server and deletes its cookie. */
export const signOutRoutes = ({
  auth,
  sessions,
  cookies,
}: {
  auth: Auth
  sessions: SessionService
  cookies: Cookies
}) =>
  new Elysia().use(auth.signedInUser).post('/sign-out', async ({ viewer }) => {
    await sessions.revoke(viewer.user.id, viewer.sessionId)
    return auth.redirectWithNotice('/sign-in', { notice: 'signed_out', cookies: [cookies.clear('urlmeta_session')] })
  })
