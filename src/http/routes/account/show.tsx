import type { Plans } from '../../../core/plan.ts'
import type { Profiles } from '../../../service/accounts/profiles.ts'
import type { SessionService, SignedIn } from '../../../service/accounts/sessions.ts'
import type { SignInService } from '../../../service/accounts/sign-in.ts'
import type { UsageAlertService } from '../../../service/usage/usage-alerts.ts'
import { AccountPage, type AccountProps } from '../../../../views/account.tsx'
import type { RequestContext } from '../../session/auth.ts'

/** The submitted form that is shown again with its error, and the status of the page. */
export interface AccountOutcome {
  deletion?: AccountProps['deletion']
  alertForm?: AccountProps['alerts']['form']
  status?: number
}

export type ShowAccount = (context: RequestContext, viewer: SignedIn, outcome?: AccountOutcome) => Promise<Response>

export interface ShowAccountDeps {
  profiles: Profiles
  sessions: SessionService
  signIn: SignInService
  alerts: UsageAlertService
  plans: Plans
}

export function createShowAccount({ profiles, sessions, signIn, alerts, plans }: ShowAccountDeps): ShowAccount {
  return async (context, viewer, { deletion = null, alertForm = null, status = 200 } = {}) => {
    const { user, sessionId } = viewer
    const [identities, openSessions, alertSettings] = await Promise.all([
      profiles.identities(user.id),
      sessions.list(user.id),
      alerts.settings(user.id),
    ])
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
        alerts={{ ...alertSettings, form: alertForm }}
        deletion={deletion}
      />
    ))
  }
}
