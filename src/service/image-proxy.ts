import type { Image, ImageFetcher, RateLimiter } from '../core/ports.ts'
import { isSigned, sign } from '../core/token.ts'

/** The lifetime of an image link: a page loads its images at once. */
const LINK_MS = 10 * 60_000

/** Images per user and minute; a page has two. */
const PER_MINUTE = 60

/**
 * Pictures of one user that are fetched at the same time, half of what all users have together: pages of a slow site must
 * not take the pictures of others. One more is not shown, as one beyond the minute.
 */
const MAX_AT_ONCE = 8

/** The signed parameters of an image URL. */
export interface SignedImageLink {
  url: string
  expiresAtMs: number
  signature: string
}

/**
 * Proxies images of fetched pages, so that the visitor's browser does not contact those sites. Only signed links of the
 * dashboard are fetched, and only for the user they were created for, so this is not an open proxy.
 */
export interface ImageProxy {
  link(userId: string, url: string): SignedImageLink
  /** The image; null when the link is invalid or expired, or does not lead to an image. */
  fetch(userId: string, link: SignedImageLink, gone: AbortSignal): Promise<Image | null>
}

export interface ImageProxyDeps {
  images: ImageFetcher
  limiter: RateLimiter
  secret: Uint8Array
  /** Unix milliseconds. */
  now: () => number
}

export function createImageProxy({ images, limiter, secret, now }: ImageProxyDeps): ImageProxy {
  /** How many pictures of each user are being fetched. */
  const fetching = new Map<string, number>()

  return {
    link(userId, url) {
      const expiresAtMs = now() + LINK_MS
      return { url, expiresAtMs, signature: sign(secret, 'image', userId, url, String(expiresAtMs)) }
    },

    async fetch(userId, { url, expiresAtMs, signature }, gone) {
      if (!isSigned(signature, secret, 'image', userId, url, String(expiresAtMs)) || expiresAtMs <= now()) return null
      const target = URL.parse(url)
      if (target === null || !/^https?:$/.test(target.protocol)) return null
      const { allowed } = await limiter.take([{ key: `pictures ${userId}`, limit: PER_MINUTE }], now())
      const underWay = fetching.get(userId) ?? 0
      if (!allowed || underWay >= MAX_AT_ONCE) return null
      fetching.set(userId, underWay + 1)
      try {
        return await images.fetch(target, gone)
      } finally {
        const left = fetching.get(userId)! - 1
        if (left > 0) fetching.set(userId, left)
        else fetching.delete(userId)
      }
    },
  }
}
