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
    return context.render({ path: '/sign-in' }, (frame) => (
      <SignInPage frame={frame} providers={[...signIn.providers]} next={next} problem={null} />
    ))
  })
