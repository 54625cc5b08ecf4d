import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { PROVIDER_IDS, type ProviderId } from '../../../core/identity.ts'
import { parseOwnPath } from '../../../core/own-path.ts'
import { ATTEMPT_MS, type SignIn } from '../../../service/sign-in.ts'
import type { Cookies } from '../../cookies.ts'
import { redirect } from '../../door.ts'
import { queryOf } from '../../metadata-query.ts'
import type { SignInDesk } from '../../sign-in-desk.ts'

export interface ProviderRouteParts {
  signIn: SignIn
  desk: SignInDesk
  cookies: Cookies
}

/** `/sign-in/github` and `/sign-in/google` lead to the provider; `…/callback` is where it sends the visitor back to. */
export function providerRoutes({ signIn, desk, cookies }: ProviderRouteParts) {
  const parse = (text: string): ProviderId => {
    const id = PROVIDER_IDS.find((one) => one === text)
    if (id === undefined || !signIn.providers.some((provider) => provider.id === id)) {
      throw new AppError('not_found', 'Not found')
    }
    return id
  }

  return new Elysia()
    .get('/sign-in/:provider', async ({ request, server, params }) => {
      const provider = parse(params.provider)
      await desk.countStep(request, server)
      const { url, browserToken } = await signIn.begin(provider, parseOwnPath(queryOf(request)('next')))
      return redirect(url.href, [cookies.set('urlmeta_attempt', browserToken, ATTEMPT_MS)])
    })
    .get('/sign-in/:provider/callback', async ({ request, server, params }) => {
      const provider = parse(params.provider)
      await desk.countStep(request, server)
      const query = queryOf(request)
      const { userId, next } = await signIn.finish(provider, {
        browserToken: cookies.read(request, 'urlmeta_attempt'),
        state: query('state'),
        code: query('code'),
        error: query('error'),
        issuer: query('iss'),
      })
      return desk.enter(request, userId, next)
    })
}
