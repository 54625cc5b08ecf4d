import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { signInLink } from '../../../service/accounts/sign-in-links.ts'
import { AdminUsersPage, type AdminUsersProps } from '../../../../views/admin/users.tsx'
import { adminUserOf } from '../../pages/admin-items.ts'
import type { RequestContext } from '../../session/auth.ts'
import { statusOf } from '../../errors/errors.ts'
import { queryOf } from '../../server/query.ts'
import { errorFields } from '../../server/access-log.ts'
import { pageNumber, pagingOf } from '../../pages/paging.ts'
import type { RouteDeps } from '../route-deps.ts'

/** `/admin`: all users, or the results of a search, and invitations. */
export function adminUsersRoutes({ auth, operators, rules, accessLog, baseUrl }: RouteDeps) {
  type Outcome = Pick<AdminUsersProps, 'invitation'> & { status?: number }

  async function show(context: RequestContext, request: Request, { invitation, status = 200 }: Outcome) {
    const query = queryOf(request)
    const text = query('q')?.trim() ?? ''
    const sort = query('sort') === 'usage' ? 'usage' : 'newest'
    const page = pageNumber(query('page'))
    const { users, total } = await operators.users({ text, page, sort })
    return context.render({ path: '/admin', status }, (frame) => (
      <AdminUsersPage
        frame={frame}
        query={text}
        sort={sort}
        users={users.map((user) => adminUserOf(user, rules))}
        total={total}
        paging={pagingOf(page, total)}
        invitation={invitation}
      />
    ))
  }

  return new Elysia()
    .use(auth.operatorOnly)
    .get('/admin', ({ request, context }) => show(context, request, { invitation: null }))
    .post('/admin/invite', async ({ request, context, viewer, form }) => {
      const email = form('email')
      try {
        const { token, ...invited } = await operators.invite(viewer.user, email)
        // Rendered in this response, because a redirect would require storing the link.
        const invitation = { ...invited, link: signInLink(baseUrl(), token), error: '' }
        return await show(context, request, { invitation })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        accessLog.add(request, errorFields(error))
        const invitation = { email, link: null, expiresAtMs: 0, error: error.message }
        return show(context, request, { invitation, status: statusOf(error) })
      }
    })
}
