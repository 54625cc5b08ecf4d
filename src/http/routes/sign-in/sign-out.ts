import { Elysia } from 'elysia'
import type { RouteDeps } from '../route-deps.ts'

/** `POST /sign-out`: ends the session on the server and deletes its cookie. */
export const signOutRoutes = ({ auth, sessions, cookies }: RouteDeps) =>
  new Elysia().use(auth.signedInUser).post('/sign-out', async ({ viewer }) => {
    await sessions.revoke(viewer.user.id, viewer.sessionId)
    return auth.redirectWithNotice('/sign-in', { notice: 'signed_out', cookies: [cookies.clear('urlmeta_session')] })
  })
