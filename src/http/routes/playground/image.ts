import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import { addressBlock } from '../../../core/net/client-address.ts'
import { type PreviewCaller, sharedCaller, userCaller, visitorCaller } from '../../../core/previews/ports.ts'
import { IMAGE_PATH } from '../../pages/playground-result.ts'
import { createImageSender, IMAGE_HEADERS } from '../../server/image-response.ts'
import { queryOf } from '../../server/query.ts'
import type { RequestContext } from '../../session/auth.ts'
import type { RouteDeps } from '../route-deps.ts'

const HEADERS = { 'cache-control': 'private, max-age=300', 'cross-origin-resource-policy': 'same-origin' }

/** `/playground/image`: proxies an image of a fetched page, so that the browser does not contact that site. */
export function imageRoutes({ auth, imageProxy, sharing, isPlaygroundPublic, clientOf }: RouteDeps) {
  const send = createImageSender()

  /** Null for a shared result that does not exist any more. @throws AppError `sign_in_required` */
  async function callerOf(request: Request, { signedIn }: RequestContext): Promise<PreviewCaller | null> {
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
    // Not cached, because too many concurrent requests may be the reason.
    const headers = { ...IMAGE_HEADERS, ...HEADERS, 'cache-control': 'private, no-store' }
    return response ?? new Response(null, { status: 404, headers })
  })
}
