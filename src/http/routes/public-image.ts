import { Elysia } from 'elysia'

import { DAY_MS } from '../../core/duration.ts'
import { AppError } from '../../core/errors.ts'
import { addressBlock } from '../../core/net/client-address.ts'
import type { PublicImageLink, PublicImages } from '../../service/lookup/public-images.ts'
import { createImageSender } from '../server/image-response.ts'
import { searchOf } from '../server/query.ts'
import type { RequestFacts } from '../server/request-facts.ts'

const PATH = '/v1/image'

/** How long browsers and proxies may cache an image: as long as results are cached by default. */
const MAX_CACHE_MS = DAY_MS

export interface PublicImageRouteDeps extends Pick<RequestFacts, 'accessLog' | 'clientOf'> {
  /** Null if the operator has not enabled the image proxy. */
  publicImages: PublicImages | null
  now: () => number
}

export const publicImagePath = (link: PublicImageLink): string => `${PATH}?${new URLSearchParams({ ...link })}`

/**
 * `/v1/image`: proxies an image of a page for visitors of any site. The link is signed, so no key or cookie is needed.
 */
export function publicImageRoutes({ publicImages, accessLog, clientOf, now }: PublicImageRouteDeps) {
  const app = new Elysia()
  if (publicImages === null) return app
  const send = createImageSender()
  return app.get(PATH, async ({ request }) => {
    const link = publicImages.verify(Object.fromEntries(new URLSearchParams(searchOf(request))))
    accessLog.add(request, { key: link.key, host: link.url.host })
    const visitor = addressBlock(clientOf(request))
    const image = await publicImages.fetch(link, visitor, request.signal)
    // The link may have expired during the fetch.
    const cacheMs = Math.max(0, Math.min(MAX_CACHE_MS, link.expiresAtMs - now()))
    const cacheSeconds = Math.floor(cacheMs / 1_000)
    const response = send(request, visitor, image, {
      'cache-control': `public, max-age=${cacheSeconds}`,
      // Pages that are isolated from other origins may show the image.
      'cross-origin-resource-policy': 'cross-origin',
    })
    if (response === null) throw new AppError('fetch_failed', 'Failed to fetch image: too many requests are waiting')
    return response
  })
}
