import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import type { Caller } from '../../../core/fetch/ports.ts'
import { addressBlock } from '../../../core/net/client-address.ts'
import { sharedCaller, userCaller, visitorCaller } from '../../../previews/service/preview-caller.ts'
import { IMAGE_PATH } from './result-pages.ts'
import { createImageSender, IMAGE_HEADERS } from '../../server/image-response.ts'
import { queryOf } from '../../server/query.ts'
import type { RequestContext } from '../../session/request-context.ts'
import type { PlaygroundContext } from './playground-context.ts'

const HEADERS = { 'cache-control': 'private, max-age=300', 'cross-origin-resource-policy': 'same-origin' }

/** `/playground/image`: proxies an image of a fetched page, so that the browser does not contact the image's site. */
export function imageRoutes({ auth, imageProxy, sharing, isPlaygroundPublic, clientOf }: PlaygroundContext) {
  const send = createImageSender()

  /**
   * The caller for the image proxy; null for a shared result that no longer exists. @throws AppError `sign_in_required`
   */
  async function callerOf(request: Request, { signedIn }: RequestContext): Promise<Caller | null> {
    const token = queryOf(request)('shared')
    const shared = token === null ? null : await sharing?.find(token)
    if (token !== null) return shared ? sharedCaller(shared.userId) : null
    if (signedIn !== null) return userCaller(signedIn.user.id)
    if (isPlaygroundPublic) return visitorCaller(addressBlock(clientOf(request)))
    throw new AppError('sign_in_required', 'Sign in first.')
  }

  return new Elysia().use(auth.optionalUser).get(IMAGE_PATH, async ({ request, context }) => {
    const query = queryOf(request)
    const caller = await callerOf(request, context)
    const link = { url: query('url') ?? '', expiresAtMs: Number(query('expires')), signature: query('signature') ?? '' }
    const image = caller && (await imageProxy.fetch(caller, link, request.signal))
    const response = image && send(request, addressBlock(clientOf(request)), image, HEADERS)
    // The 404 is not cached, because too many concurrent requests may be its reason.
    const headers = { ...IMAGE_HEADERS, ...HEADERS, 'cache-control': 'private, no-store' }
    return response ?? new Response(null, { status: 404, headers })
  })
}
