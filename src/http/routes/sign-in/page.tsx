import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { parseOwnPath } from '../../../core/own-path.ts'
import type { SignIn } from '../../../service/sign-in.ts'
import { SignIn as SignInPage } from '../../../../views/sign-in.tsx'
import { type Door, redirect } from '../../door.ts'
import { queryOf } from '../../metadata-query.ts'

/** `/sign-in`: the configured identity providers. */
export const signInPageRoutes = ({ door, signIn }: { door: Door; signIn: SignIn }) =>
  new Elysia().use(door.visitors).get('/sign-in', ({ request, visitor }) => {
    const next = parseOwnPath(queryOf(request)('next'))
    if (visitor.signedIn !== null) return redirect(next ?? '/')
    return visitor.show({ path: '/sign-in' }, (frame) => (
      <SignInPage frame={frame} providers={[...signIn.providers]} next={next} problem={null} />
    ))
  })
