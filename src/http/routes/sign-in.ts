import { Elysia } from 'elysia'

import { SignInError } from '../../core/accounts/identity.ts'
import { parseLocalPath } from '../../core/accounts/local-path.ts'
import { AppError } from '../../core/errors.ts'
import { SignInLinkPage } from '../../../views/sign-in-link.tsx'
import { SignInPage } from '../../../views/sign-in.tsx'
import { queryOf } from '../server/query.ts'
import { redirect } from '../session/request-context.ts'
import { readForm } from '../session/form.ts'
import type { RouteContext } from './route-context.ts'

/** `/sign-in/<id>` redirects to the provider; `/sign-in/<id>/callback` completes the sign-in. */
export function providerRoutes({ signIn, signInSession, cookies }: RouteContext) {
  const requireProvider = (id: string): string => {
    if (!signIn.providers.some((provider) => provider.id === id)) throw new AppError('not_found', 'Not found')
    return id
  }

  return new Elysia()
    .get('/sign-in/:provider', async ({ request, params }) => {
      const provider = requireProvider(params.provider)
      await signInSession.countAttempt(request)
      const { browserToken, cookie } = signInSession.browserTokenOf(request)
      const url = await signIn.begin(provider, browserToken, parseLocalPath(queryOf(request)('next')))
      return redirect(url.href, [cookie])
    })
    .get('/sign-in/:provider/callback', async ({ request, params }) => {
      const provider = requireProvider(params.provider)
      // HEAD requests, such as from link scanners, must not redeem the attempt.
      if (request.method === 'HEAD') return new Response(null, { status: 204 })
      await signInSession.countAttempt(request)
      const query = queryOf(request)
      const { userId, next } = await signIn.finish(provider, {
        browserToken: cookies.read(request, 'urlmeta_attempt'),
        state: query('state'),
        code: query('code'),
        error: query('error'),
        issuer: query('iss'),
      })
      return signInSession.start(request, userId, next)
    })
}

/**
 * `/sign-in`: the configured identity providers. `/sign-in/link`: a GET, such as from a mail program's prefetch, changes
 * nothing; the form redeems the link.
 */
export const signInRoutes = ({ auth, signIn, links, signInSession, cookies, csrf, incomingBodies }: RouteContext) =>
  new Elysia({ prefix: '/sign-in' })
    .use(auth.optionalUser)
    .get('', ({ request, context }) => {
      const next = parseLocalPath(queryOf(request)('next'))
      if (context.signedIn !== null) return redirect(next ?? '/')
      return context.render({ path: '/sign-in' }, SignInPage, { providers: signIn.providers, next, problem: null })
    })
    .get('/link', async ({ request, context }) => {
      await signInSession.countAttempt(request)
      const query = queryOf(request)
      const token = query('token') ?? ''
      const link = await links.find(token)
      if (link === null) throw new SignInError(problemOf(query('invitation')), 'unknown, used, expired or revoked')
      const { browserToken, cookie } = signInSession.browserTokenOf(request)
      const options = { path: '/sign-in/link', csrf: csrf.tokenFor(browserToken), cookies: [cookie] }
      return context.render(options, SignInLinkPage, { csrf: options.csrf, token, ...link })
    })
    .post('/link', async ({ request }) => {
      await signInSession.countAttempt(request)
      const form = await readForm(request, incomingBodies)
      csrf.check(request, cookies.read(request, 'urlmeta_attempt') ?? '', form)
      const { userId } = await links.redeem(form('token'), problemOf(form('invitation')))
      return signInSession.start(request, userId, null)
    })

/** The sign-in page tells invited people to ask for a new invitation, and others for a new link. */
const problemOf = (invitation: string | null) => (invitation === '1' ? 'invitation_invalid' : 'link_invalid')

/** `POST /sign-out`: ends the session on the server and deletes its cookie. */
export const signOutRoutes = ({ auth, sessions, cookies }: RouteContext) =>
  new Elysia().use(auth.signedInUser).post('/sign-out', async ({ viewer }) => {
    await sessions.revoke(viewer.user.id, viewer.sessionId)
    return auth.redirectWithNotice('/sign-in', 'signed_out', [cookies.clear('urlmeta_session')])
  })
