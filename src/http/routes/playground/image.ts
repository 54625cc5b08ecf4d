import { Elysia } from 'elysia'

import type { SignedImageLink } from '../../../service/playground/image-proxy.ts'
import { queryOf } from '../../server/query.ts'
import type { RouteDeps } from '../route-deps.ts'

const PATH = '/playground/image'

/**
 * Images are third-party content on the dashboard's origin: browsers must treat them only as images, even when opened
 * directly.
 */
const IMAGE_HEADERS = {
  'cache-control': 'private, max-age=300',
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'inline; filename="preview"',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/**
 * The path of a proxied image.
 * @param result the id of the result that shows it, so that another result does not use the browser's cache
 */
export function imagePath({ url, expiresAtMs, signature }: SignedImageLink, result: string): string {
  const version = result.slice(0, 8)
  return `${PATH}?${new URLSearchParams({ url, expires: String(expiresAtMs), signature, version })}`
}

/** `/playground/image`: proxies an image of a fetched page, so that the browser does not contact that site. */
export const imageRoutes = ({ auth, imageProxy }: RouteDeps) =>
  new Elysia().use(auth.signedInUser).get(PATH, async ({ request, viewer }) => {
    const query = queryOf(request)
    const link = {
      url: query('url') ?? '',
      expiresAtMs: Number(query('expires')),
      signature: query('signature') ?? '',
    }
    const image = await imageProxy.fetch(viewer.user.id, link, request.signal)
    if (image === null) return new Response(null, { status: 404, headers: IMAGE_HEADERS })
    return new Response(image.bytes, { headers: { ...IMAGE_HEADERS, 'content-type': image.mimeType } })
  })
