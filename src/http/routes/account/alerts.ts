import { Elysia } from 'elysia'

import { AppError, FetchError } from '../../../core/errors.ts'
import { statusOf } from '../../errors/errors.ts'
import { errorFields } from '../../server/access-log.ts'
import type { RouteDeps } from '../route-deps.ts'

/** `/account/alerts`: the webhook of the usage alerts. */
export const accountAlertRoutes = ({ auth, alerts, accessLog, showAccount }: RouteDeps) =>
  new Elysia({ prefix: '/account/alerts' })
    .use(auth.signedInUser)
    .post('', async ({ request, context, viewer, form }) => {
      const url = form('url')
      try {
        await alerts.setUrl(viewer.user, url)
        return auth.redirectWithNotice('/account', { notice: 'alerts_saved' })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        accessLog.add(request, errorFields(error))
        const alertForm = { url, error: error.message, testError: '' }
        return showAccount(context, viewer, { alertForm, status: statusOf(error) })
      }
    })
    .post('/test', async ({ request, context, viewer }) => {
      try {
        await alerts.sendTest(viewer.user)
        return auth.redirectWithNotice('/account', { notice: 'alert_test_sent' })
      } catch (error) {
        if (!(error instanceof AppError) || error.kind === 'not_found') throw error
        accessLog.add(request, errorFields(error))
        const { webhook } = await alerts.settings(viewer.user.id)
        const testError = error instanceof FetchError ? `The test message failed: ${error.reason}` : error.message
        // Not 502: the page itself is complete, and proxies replace error pages.
        const status = error instanceof FetchError ? 200 : statusOf(error)
        return showAccount(context, viewer, { alertForm: { url: webhook?.url ?? '', error: '', testError }, status })
      }
    })
    .post('/remove', async ({ viewer }) => {
      await alerts.remove(viewer.user.id)
      return auth.redirectWithNotice('/account', { notice: 'alerts_removed' })
    })
