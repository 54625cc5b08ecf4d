import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { addressBlock } from '../../../core/net/client-address.ts'
import { sharedCaller } from '../../../previews/service/preview-caller.ts'
import { SharedPage, sharedPath } from '../../../../views/playground/shared.tsx'
import { tabOf } from '../../../../views/playground/result-tabs.tsx'
import { createResultPages } from './result-pages.ts'
import { queryOf } from '../../server/query.ts'
import type { PlaygroundContext } from './playground-context.ts'

/** Search engines must not list results, even if somebody publishes a link. */
const HEADERS: [string, string][] = [['x-robots-tag', 'noindex, nofollow']]

/** Unknown, stopped and expired links get the same message. */
const GONE = 'Shared results are deleted after a week, or when the person who shared them stops sharing.'

/** `/shared/:token`: a shared result as it was stored, without an account. Nothing on it can be changed. */
export function sharedRoutes({ auth, sharing, imageProxy, clientOf }: PlaygroundContext) {
  if (sharing === null) return new Elysia()
  const pages = createResultPages({ imageProxy })
  return new Elysia().use(auth.optionalUser).get('/shared/:token', async ({ request, context, params: { token } }) => {
    const shared = await sharing.find(token)
    if (shared === null) throw new AppError('not_found', GONE)
    const { userId, tokenHash, outcome, expiresAtMs, createdAtMs } = shared
    await sharing.countView(tokenHash, addressBlock(clientOf(request)))
    const result = pages.success({ caller: sharedCaller(userId), sharedToken: token }, tokenHash, outcome)
    const tab = tabOf(queryOf(request)('tab') ?? '')
    const props = { token, result, tab, sharedAtMs: createdAtMs, expiresAtMs }
    return context.render({ path: sharedPath(token), headers: HEADERS }, SharedPage, props)
  })
}
