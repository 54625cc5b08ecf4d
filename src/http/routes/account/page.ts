import { Elysia } from 'elysia'

import { parseEmail } from '../../../core/accounts/email.ts'
import type { RouteDeps } from '../route-deps.ts'

/** `/account`: the user's account, and its deletion. */
export const accountRoutes = ({ auth, profiles, cookies, showAccount }: RouteDeps) =>
  new Elysia()
    .use(auth.signedInUser)
    .get('/account', ({ context, viewer }) => showAccount(context, viewer))
    .post('/account/delete', async ({ context, viewer, form }) => {
      const typed = form('confirm')
      if (parseEmail(typed) !== viewer.user.email) {
        const deletion = { typed, error: `Type ${viewer.user.email} to delete the account.` }
        return showAccount(context, viewer, { deletion, status: 400 })
      }
      await profiles.remove(viewer.user.id)
      return auth.redirectWithNotice('/sign-in', {
        notice: 'account_deleted',
        cookies: [cookies.clear('urlmeta_session')],
      })
    })
