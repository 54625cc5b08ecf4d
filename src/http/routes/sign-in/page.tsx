import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { parseLocalPath } from '../../../core/accounts/local-path.ts'
import type { SignInService } from '../../../service/accounts/sign-in.ts'
import { SignInPage } from '../../../../views/sign-in.tsx'
import { type Auth, redirect } from '../../session/auth.ts'
import { queryOf } from '../../server/query.ts'

/** `/sign-in`: the configured identity providers. */
export const signInPageRoutes = ({ auth, signIn }: { auth: Auth; signIn: SignInService }) =>
  new Elysia().use(auth.optionalUser).get('/sign-in', ({ request, context }) => {
    const next = parseLocalPath(queryOf(request)('next'))
    if (context.signedIn !== null) return redirect(next ?? '/')
    return context.render({ path: '/sign-in' }, (frame) => (
      <SignInPage frame={frame} providers={[...signIn.providers]} next={next} problem={null} />
    ))
  })
