import { Elysia } from 'elysia'

import { invitationLink, signInLink } from '../../../service/accounts/sign-in-links.ts'
import { AdminInvitationsPage, type AdminInvitationsProps } from '../../../../views/admin/invitations.tsx'
import { shownError } from '../../errors/errors.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import { queryOf } from '../../server/query.ts'
import { redirect, type RequestContext } from '../../session/request-context.ts'
import type { RouteContext } from '../route-context.ts'

/** `/admin/invite`: creates, lists and revokes invitations. */
export function adminInvitationRoutes({ auth, operators, accessLog, baseUrl }: RouteContext) {
  type Outcome = Partial<Pick<AdminInvitationsProps, 'created' | 'form'>> & { status?: number }

  async function show(context: RequestContext, page: number, outcome: Outcome) {
    const { created = null, form = { email: '', error: '' }, status = 200 } = outcome
    const { invitations, total } = await operators.invitations(page)
    const props = { created, form, pending: invitations, paging: pagingOf(page, total) }
    return context.render({ path: '/admin/invite', status }, AdminInvitationsPage, props)
  }

  return new Elysia({ prefix: '/admin/invite' })
    .use(auth.operatorOnly)
    .get('', ({ request, context }) => {
      const form = { email: context.draft?.('email') ?? '', error: '' }
      return show(context, pageNumber(queryOf(request)('page')), { form })
    })
    .post('', async ({ request, context, viewer, form }) => {
      const email = form('email')
      try {
        const { token, ...invited } = await operators.invite(viewer.user, email)
        // Rendered in this response, because a redirect would require storing the link.
        const link = (invited.isInvitation ? invitationLink : signInLink)(baseUrl(), token)
        return await show(context, 1, { created: { ...invited, link } })
      } catch (error) {
        const { error: message, status } = shownError(accessLog, request, error)
        return show(context, 1, { form: { email, error: message }, status })
      }
    })
    .post('/revoke', async ({ viewer, form }) => {
      // A form submitted twice changes nothing the second time, so no notice is shown.
      return (await operators.revokeInvitation(viewer.user, form('email')))
        ? auth.redirectWithNotice('/admin/invite', 'invitation_revoked')
        : redirect('/admin/invite')
    })
}
