import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { parseLocalPath } from '../../../core/accounts/local-path.ts'
import { redirect } from '../../session/auth.ts'
import { queryOf } from '../../server/query.ts'
import type { RouteDeps } from '../route-deps.ts'

/** `/sign-in/<id>` redirects to the provider; `/sign-in/<id>/callback` completes the sign-in. */
export function providerRoutes({ signIn, signInSession, cookies }: RouteDeps) {
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
