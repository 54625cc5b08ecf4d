import { Elysia } from 'elysia'

import { parseLocalPath } from '../../../core/accounts/local-path.ts'
import { SignInPage } from '../../../../views/sign-in.tsx'
import { redirect } from '../../session/auth.ts'
import { queryOf } from '../../server/query.ts'
import type { RouteDeps } from '../route-deps.ts'

/** `/sign-in`: the configured identity providers. */
export const signInPageRoutes = ({ auth, signIn }: RouteDeps) =>
  new Elysia().use(auth.optionalUser).get('/sign-in', ({ request, context }) => {
    const next = parseLocalPath(queryOf(request)('next'))
    if (context.signedIn !== null) return redirect(next ?? '/')
    return context.render({ path: '/sign-in' }, SignInPage, { providers: signIn.providers, next, problem: null })
  })

/** `POST /sign-out`: ends the session on the server and deletes its cookie. */
export const signOutRoutes = ({ auth, sessions, cookies }: RouteDeps) =>
  new Elysia().use(auth.signedInUser).post('/sign-out', async ({ viewer }) => {
    await sessions.revoke(viewer.user.id, viewer.sessionId)
    return auth.redirectWithNotice('/sign-in', 'signed_out', [cookies.clear('urlmeta_session')])
  })
