import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { SignInError } from '../../../core/identity.ts'
import type { SignInLinks } from '../../../service/sign-in-links.ts'
import { SignInLink } from '../../../../views/sign-in-link.tsx'
import type { Cookies } from '../../cookies.ts'
import type { Csrf } from '../../csrf.ts'
import type { Door } from '../../door.ts'
import { readForm } from '../../form.ts'
import { queryOf } from '../../metadata-query.ts'
import type { SignInDesk } from '../../sign-in-desk.ts'
import { browserTokenOf } from './browser-token.ts'

export interface LinkRouteParts {
  door: Door
  links: SignInLinks
  desk: SignInDesk
  cookies: Cookies
  csrf: Csrf
  newToken: () => string
}

/** `/sign-in/link`: a GET, such as from a mail program's prefetch, changes nothing; the form redeems the link. */
export const linkRoutes = ({ door, links, desk, cookies, csrf, newToken }: LinkRouteParts) =>
  new Elysia()
    .use(door.visitors)
    .get('/sign-in/link', async ({ request, server, visitor }) => {
      await desk.countStep(request, server)
      const token = queryOf(request)('token') ?? ''
      if (!(await links.isOpen(token))) throw new SignInError('link_spent', 'unknown, used or too old')
      const { browserToken, cookie } = browserTokenOf(request, cookies, newToken)
      const shown = {
        path: '/sign-in/link',
        csrf: csrf.tokenFor(browserToken),
        cookies: [cookie],
      }
      return visitor.show(shown, (frame) => <SignInLink frame={frame} token={token} />)
    })
    .post('/sign-in/link', async ({ request, server }) => {
      await desk.countStep(request, server)
      const form = await readForm(request)
      csrf.check(request, cookies.read(request, 'urlmeta_attempt') ?? '', form)
      const { userId } = await links.redeem(form('token'))
      return desk.enter(request, userId, null)
    })
