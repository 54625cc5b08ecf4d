import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { parseEmail } from '../../../core/email.ts'
import type { Plans } from '../../../core/plan.ts'
import type { Profiles } from '../../../service/profiles.ts'
import type { SessionKeeper, SignedIn } from '../../../service/sessions.ts'
import type { SignIn } from '../../../service/sign-in.ts'
import { Account, type AccountProps } from '../../../../views/account.tsx'
import type { Cookies } from '../../cookies.ts'
import type { Door, Visitor } from '../../door.ts'

export interface AccountRouteParts {
  door: Door
  profiles: Profiles
  sessions: SessionKeeper
  signIn: SignIn
  cookies: Cookies
  plans: Plans
}

/** `/account`: one's own account, and its end. */
export function accountRoutes({ door, profiles, sessions, signIn, cookies, plans }: AccountRouteParts) {
  async function show(visitor: Visitor, member: SignedIn, deletion: AccountProps['deletion'], status = 200) {
    const { user, sessionId } = member
    const [identities, open] = await Promise.all([profiles.identities(user.id), sessions.list(user.id)])
    const connections = identities.map(({ issuer, ...identity }) => {
      const provider = signIn.providers.find((one) => one.issuer === issuer)
      return { ...identity, issuer, label: provider?.label ?? `${URL.parse(issuer)?.host ?? issuer} (not set up)` }
    })
    const others = signIn.providers.filter(({ issuer }) => !identities.some((identity) => identity.issuer === issuer))
    const { email, name, createdAtMs } = user
    return visitor.show({ path: '/account', status }, (frame) => (
      <Account
        frame={frame}
        profile={{ email, name, planLabel: plans[user.plan].label, createdAtMs }}
        connections={connections}
        others={others}
        sessions={open.map((session) => ({ ...session, isCurrent: session.id === sessionId }))}
        deletion={deletion}
      />
    ))
  }

  return new Elysia()
    .use(door.members)
    .get('/account', ({ visitor, member }) => show(visitor, member, null))
    .post('/account/delete', async ({ visitor, member, form }) => {
      const typed = form('confirm')
      if (parseEmail(typed) !== member.user.email) {
        return show(visitor, member, { typed, error: `Type ${member.user.email} to delete the account.` }, 400)
      }
      await profiles.remove(member.user.id)
      return door.goTo('/sign-in', { notice: 'account_deleted', cookies: [cookies.clear('urlmeta_session')] })
    })
}
