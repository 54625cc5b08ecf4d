import { Elysia } from 'elysia'

import { SignInError } from '../../../core/accounts/identity.ts'
import { SignInLinkPage } from '../../../../views/sign-in-link.tsx'
import { readForm } from '../../session/form.ts'
import { queryOf } from '../../server/query.ts'
import type { RouteDeps } from '../route-deps.ts'

/** `/sign-in/link`: a GET, such as from a mail program's prefetch, changes nothing; the form redeems the link. */
export const linkRoutes = ({ auth, links, signInSession, cookies, csrf, incomingBodies }: RouteDeps) =>
  new Elysia()
    .use(auth.optionalUser)
    .get('/sign-in/link', async ({ request, context }) => {
      await signInSession.countAttempt(request)
      const query = queryOf(request)
      const token = query('token') ?? ''
      const link = await links.find(token)
      if (link === null) throw new SignInError(problemOf(query('invitation')), 'unknown, used, expired or revoked')
      const { browserToken, cookie } = signInSession.browserTokenOf(request)
      const options = { path: '/sign-in/link', csrf: csrf.tokenFor(browserToken), cookies: [cookie] }
      return context.render(options, SignInLinkPage, { csrf: options.csrf, token, ...link })
    })
    .post('/sign-in/link', async ({ request }) => {
      await signInSession.countAttempt(request)
      const form = await readForm(request, incomingBodies)
      csrf.check(request, cookies.read(request, 'urlmeta_attempt') ?? '', form)
      const { userId } = await links.redeem(form('token'), problemOf(form('invitation')))
      return signInSession.start(request, userId, null)
    })

/** An invited person asks for a new invitation; others create a new link on the server. */
const problemOf = (invitation: string | null) => (invitation === '1' ? 'invitation_invalid' : 'link_invalid')
