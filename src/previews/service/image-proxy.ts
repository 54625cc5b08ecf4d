import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts'
import { type ImageFacts, LIMIT_REACHED } from '../../core/fetch/image-facts.ts'
import type { Caller, FetchedImage, ImageFetcher } from '../../core/fetch/ports.ts'
import { countedAs } from './preview-caller.ts'
import type { RateLimiter } from '../../core/usage/rate-limiter.ts'
import { isSigned, sign } from '../../core/accounts/token.ts'

/**
 * The minimum lifetime of a link: as long as results are kept, because browsers load some images only when the user
 * scrolls to them.
 */
const LINK_MS = HOUR_MS

/** Links expire at a multiple of this time, so that browsers find their images in the cache while tags are edited. */
const ROUND_MS = 10 * MINUTE_MS

/** Images per caller and minute, enough for a few pages. Each image is requested twice, to find its size and to show it. */
const PER_MINUTE = 120

/** The maximum number of images of a page to inspect: the images of the first tags, and the icon. */
const MAX_INSPECTED = 6

/** The deadline of inspecting images, which delays the result page. */
const INSPECTION_MS = 4_000

export interface SignedImageLink {
  url: string
  expiresAtMs: number
  signature: string
}

/**
 * Proxies images of fetched pages, so that the user's browser does not contact those sites. Only signed links of the
 * dashboard are fetched, and only for the caller they were created for, so this is not an open proxy.
 */
export type ImageProxy = ReturnType<typeof createImageProxy>

export interface ImageProxyDeps {
  images: ImageFetcher
  limiter: RateLimiter
  secret: Uint8Array
  now: () => number
}

export function createImageProxy({ images, limiter, secret, now }: ImageProxyDeps) {
  async function fetchImage(caller: Caller, url: string, signal: AbortSignal): Promise<FetchedImage> {
    const target = URL.parse(url)
    if (target === null || !/^https?:$/.test(target.protocol)) return refused(url, 'not an http(s) URL')
    const { allowed } = await limiter.take([{ key: `images ${countedAs(caller)}`, limit: PER_MINUTE }], now())
    return allowed ? images.fetch(target, signal, caller) : refused(url, LIMIT_REACHED)
  }

  return {
    link(caller: Caller, url: string): SignedImageLink {
      const expiresAtMs = Math.ceil((now() + LINK_MS) / ROUND_MS) * ROUND_MS
      return { url, expiresAtMs, signature: sign(secret, 'image', countedAs(caller), url, String(expiresAtMs)) }
    },

    /** The image; null when the link is invalid or expired, or does not lead to an image. */
    async fetch(caller: Caller, { url, expiresAtMs, signature }: SignedImageLink, signal: AbortSignal) {
      const parts = [countedAs(caller), url, String(expiresAtMs)]
      if (!isSigned(signature, secret, 'image', ...parts) || expiresAtMs <= now()) return null
      return (await fetchImage(caller, url, signal)).image
    },

    /** The facts of the first `MAX_INSPECTED` images, or why each image is unavailable. Never throws. */
    async inspect(caller: Caller, urls: readonly string[], signal: AbortSignal): Promise<ImageFacts[]> {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(INSPECTION_MS)])
      const first = [...new Set(urls)].slice(0, MAX_INSPECTED)
      return Promise.all(first.map(async (url) => (await fetchImage(caller, url, deadline)).facts))
    },
  }
}

function refused(url: string, problem: string): FetchedImage {
  return { facts: { url, problem, mimeType: '', bytes: null, size: null }, image: null }
}
