import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { parseEmail } from '../../../core/email.ts'
import type { Plans } from '../../../core/plan.ts'
import type { Profiles } from '../../../service/profiles.ts'
import type { SessionService, SignedIn } from '../../../service/sessions.ts'
import type { SignInService } from '../../../service/sign-in.ts'
import { AccountPage, type AccountProps } from '../../../../views/account.tsx'
import type { Cookies } from '../../cookies.ts'
import type { Auth, RequestContext } from '../../auth.ts'

export interface AccountRouteDeps {
  auth: Auth
  profiles: Profiles
  sessions: SessionService
  signIn: SignInService
  cookies: Cookies
  plans: Plans
}

/** `/account`: the user's account, and its deletion. */
export function accountRoutes({ auth, profiles, sessions, signIn, cookies, plans }: AccountRouteDeps) {
  async function show(context: RequestContext, viewer: SignedIn, deletion: AccountProps['deletion'], status = 200) {
    const { user, sessionId } = viewer
    const [identities, openSessions] = await Promise.all([profiles.identities(user.id), sessions.list(user.id)])
    const connections = identities.map(({ issuer, ...identity }) => {
      const provider = signIn.providers.find((candidate) => candidate.issuer === issuer)
      return { ...identity, issuer, label: provider?.label ?? `${URL.parse(issuer)?.host ?? issuer} (not configured)` }
    })
    const others = signIn.providers.filter(({ issuer }) => !identities.some((identity) => identity.issuer === issuer))
    const { email, name, createdAtMs } = user
    return context.render({ path: '/account', status }, (frame) => (
      <AccountPage
        frame={frame}
        profile={{ email, name, planLabel: plans[user.plan].label, createdAtMs }}
        connections={connections}
        others={others}
        sessions={openSessions.map((session) => ({ ...session, isCurrent: session.id === sessionId }))}
        deletion={deletion}
      />
    ))
  }

  return new Elysia()
    .use(auth.signedInUser)
    .get('/account', ({ context, viewer }) => show(context, viewer, null))
    .post('/account/delete', async ({ context, viewer, form }) => {
      const typed = form('confirm')
      if (parseEmail(typed) !== viewer.user.email) {
        return show(context, viewer, { typed, error: `Type ${viewer.user.email} to delete the account.` }, 400)
      }
      await profiles.remove(viewer.user.id)
      return auth.redirectWithNotice('/sign-in', {
        notice: 'account_deleted',
        cookies: [cookies.clear('urlmeta_session')],
      })
    })
}
