import { Elysia } from 'elysia'

import { parseEmail } from '../../core/accounts/email.ts'
import { AppError, FetchError } from '../../core/errors.ts'
import { limitsOf, planLabelOf } from '../../core/plan.ts'
import type { SignedIn } from '../../service/accounts/sessions.ts'
import { AccountPage, type AccountProps } from '../../../views/account.tsx'
import { shownError } from '../errors/errors.ts'
import { json } from '../server/json.ts'
import type { RequestContext } from '../session/request-context.ts'
import type { RouteContext } from './route-context.ts'

/** The submitted form that is shown again with its error, and the status of the page. */
interface AccountOutcome {
  deletion?: AccountProps['deletion']
  alertForm?: AccountProps['alerts']['form']
  status?: number
}

const DOWNLOAD = { 'content-disposition': 'attachment; filename="urlmeta-account.json"' }

/** `/account`: the user's account with its sign-in methods, sessions, alerts and data, and its deletion. */
export function accountRoutes(deps: RouteContext) {
  const { auth, profiles, sessions, signIn, usageAlerts, settings, cookies, accessLog } = deps

  async function show(context: RequestContext, { user, sessionId }: SignedIn, outcome: AccountOutcome = {}) {
    const { deletion = null, alertForm = null, status = 200 } = outcome
    const [identities, openSessions, alertSettings] = await Promise.all([
      profiles.identities(user.id),
      sessions.list(user.id),
      usageAlerts.settings(user.id),
    ])
    const connections = identities.map(({ issuer, ...identity }) => {
      const provider = signIn.providers.find((candidate) => candidate.issuer === issuer)
      return { ...identity, issuer, label: provider?.label ?? `${URL.parse(issuer)?.host ?? issuer} (not configured)` }
    })
    const others = signIn.providers.filter(({ issuer }) => !identities.some((identity) => identity.issuer === issuer))
    const { email, name, createdAtMs } = user
    return context.render({ path: '/account', status }, AccountPage, {
      profile: { email, name, planLabel: planLabelOf(limitsOf(settings(), user)), createdAtMs },
      connections,
      others,
      sessions: openSessions.map((session) => ({ ...session, isCurrent: session.id === sessionId })),
      alerts: { ...alertSettings, form: alertForm },
      deletion,
    })
  }

  return new Elysia({ prefix: '/account' })
    .use(auth.signedInUser)
    .get('', ({ context, viewer }) => show(context, viewer))
    .get('/export', async ({ viewer }) =>
      json(JSON.stringify(await profiles.export(viewer.user), null, 2), { headers: DOWNLOAD }),
    )
    .post('/delete', async ({ context, viewer, form }) => {
      const typed = form('confirm')
      if (parseEmail(typed) !== viewer.user.email) {
        const deletion = { typed, error: `Type ${viewer.user.email} to delete the account.` }
        return show(context, viewer, { deletion, status: 400 })
      }
      await profiles.remove(viewer.user.id)
      return auth.redirectWithNotice('/sign-in', 'account_deleted', [cookies.clear('urlmeta_session')])
    })
    .post('/identities/remove', async ({ viewer, form }) => {
      const key = { issuer: form('issuer'), subject: form('subject') }
      const outcome = await profiles.removeIdentity(viewer.user.id, key)
      if (outcome === 'unknown') throw new AppError('not_found', 'Sign-in method not found')
      if (outcome === 'last') throw new AppError('invalid_request', 'The only sign-in method cannot be removed')
      outcome satisfies 'removed'
      return auth.redirectWithNotice('/account', 'identity_removed')
    })
    .post('/sessions/revoke-others', async ({ viewer }) => {
      await sessions.revokeOthers(viewer.user.id, viewer.sessionId)
      return auth.redirectWithNotice('/account', 'other_sessions_ended')
    })
    .post('/sessions/:id/revoke', async ({ viewer, params }) => {
      const revoked = await sessions.revoke(viewer.user.id, params.id)
      if (!revoked) throw new AppError('not_found', 'Session not found')
      return auth.redirectWithNotice('/account', 'session_ended')
    })
    .post('/alerts', async ({ request, context, viewer, form }) => {
      const url = form('url')
      try {
        await usageAlerts.setUrl(viewer.user, url)
        return auth.redirectWithNotice('/account', 'alerts_saved')
      } catch (error) {
        const { error: message, status } = shownError(accessLog, request, error)
        return show(context, viewer, { alertForm: { url, error: message, testError: '' }, status })
      }
    })
    .post('/alerts/test', async ({ request, context, viewer }) => {
      try {
        await usageAlerts.sendTest(viewer.user)
        return auth.redirectWithNotice('/account', 'alert_test_sent')
      } catch (error) {
        const { error: message, status } = shownError(accessLog, request, error)
        const isFailure = error instanceof FetchError
        const testError = isFailure ? `The test message failed: ${error.reason}` : message
        // The status is not 502, because the page itself is complete, and proxies replace error pages.
        return show(context, viewer, { alertForm: { error: '', testError }, status: isFailure ? 200 : status })
      }
    })
    .post('/alerts/remove', async ({ viewer }) => {
      await usageAlerts.remove(viewer.user.id)
      return auth.redirectWithNotice('/account', 'alerts_removed')
    })
}
