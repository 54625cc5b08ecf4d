import type { Image, ImageFetcher, RateLimiter } from '../core/ports.ts'
import { isSigned, sign } from '../core/token.ts'

/** The lifetime of an image link. Browsers load the images of a page immediately. */
const LINK_MS = 10 * 60_000

/** Images per user and minute; a page has two. */
const PER_MINUTE = 60

/**
 * Concurrent image fetches per user: half of the total, so that slow images of one user do not block those of others.
 * Further images are not shown, like those beyond the rate limit.
 */
const MAX_CONCURRENT = 8

/** The signed parameters of an image URL. */
export interface SignedImageLink {
  url: string
  expiresAtMs: number
  signature: string
}

/**
 * Proxies images of fetched pages, so that the user's browser does not contact those sites. Only signed links of the
 * dashboard are fetched, and only for the user they were created for, so this is not an open proxy.
 */
export interface ImageProxy {
  link(userId: string, url: string): SignedImageLink
  /** The image; null when the link is invalid or expired, or does not lead to an image. */
  fetch(userId: string, link: SignedImageLink, signal: AbortSignal): Promise<Image | null>
}

export interface ImageProxyDeps {
  images: ImageFetcher
  limiter: RateLimiter
  secret: Uint8Array
  /** Unix milliseconds. */
  now: () => number
}

export function createImageProxy({ images, limiter, secret, now }: ImageProxyDeps): ImageProxy {
  /** The number of pending fetches per user. */
  const pendingByUser = new Map<string, number>()

  return {
    link(userId, url) {
      const expiresAtMs = now() + LINK_MS
      return { url, expiresAtMs, signature: sign(secret, 'image', userId, url, String(expiresAtMs)) }
    },

    async fetch(userId, { url, expiresAtMs, signature }, signal) {
      if (!isSigned(signature, secret, 'image', userId, url, String(expiresAtMs)) || expiresAtMs <= now()) return null
      const target = URL.parse(url)
      if (target === null || !/^https?:$/.test(target.protocol)) return null
      const { allowed } = await limiter.take([{ key: `images ${userId}`, limit: PER_MINUTE }], now())
      const pending = pendingByUser.get(userId) ?? 0
      if (!allowed || pending >= MAX_CONCURRENT) return null
      pendingByUser.set(userId, pending + 1)
      try {
        return await images.fetch(target, signal)
      } finally {
        const remaining = pendingByUser.get(userId)! - 1
        if (remaining > 0) pendingByUser.set(userId, remaining)
        else pendingByUser.delete(userId)
      }
    },
  }
}
