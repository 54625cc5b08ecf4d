import { LRUCache } from 'lru-cache'

import { overText } from '../core/byte-count.ts'
import { type ContentType, contentTypeOf, sniffContent, SVG_TYPE } from '../core/fetch/content-type.ts'
import { sizeText } from '../core/fetch/image-facts.ts'
import { imageSizeOf } from '../core/fetch/image-size.ts'
import { imageTypeOf, UNSUPPORTED_IMAGES } from '../core/fetch/signatures.ts'
import { fieldValue } from '../core/net/header-fields.ts'
import { type FetchedImage, type ImageFetcher, keyFor } from '../core/fetch/ports.ts'
import { readStart } from './response/body.ts'
import type { FinalResponse } from './connection/redirects.ts'
import { openDedicatedRequester, TIMED_OUT } from './connection/dedicated-requester.ts'
import type { NetworkOptions } from './connection/network.ts'

/** Most apps do not accept larger images, and the browsers of users would have to load them. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024

/**
 * Browsers use four bytes per pixel, and a file of a few megabytes can have billions of pixels. Photos have up to 50
 * million.
 */
const MAX_PIXELS = 64_000_000

/** Images that take longer are not shown. */
const DEADLINE_MS = 8_000

const MAX_REDIRECTS = 5

/** Some hosts, such as i.redd.it, respond with a page to clients that accept HTML. */
const ACCEPT = 'image/*,*/*;q=0.8'

/** Fetches preview images for browsers, through the guard like pages. Disposing it aborts pending requests. */
export function createImageFetcher(network: NetworkOptions): ImageFetcher & Disposable {
  const requester = openDedicatedRequester(network, 'image fetcher')

  return {
    async fetch(url, signal, caller) {
      const options = { accept: ACCEPT, caller, deadlineMs: DEADLINE_MS, maxRedirects: MAX_REDIRECTS, signal }
      const found = await requester.get(url, options, (final, untilDeadline) => read(url, final, untilDeadline))
      return 'problem' in found ? failed(url, found.problem) : found
    },
    [Symbol.dispose]: () => requester[Symbol.dispose](),
  }
}

/** The memory of all images that are kept, in bytes. A typical image for cards has 200 KB. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024

/** The overhead of an entry in bytes: map entries, key, facts, list links. */
const OVERHEAD_BYTES = 1_024

/** Requests each image once, because the pages of a site share them. Those that time out are requested again. */
export function withImageCache(images: ImageFetcher): ImageFetcher {
  const kept = new LRUCache<string, FetchedImage, Parameters<ImageFetcher['fetch']>>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ image }) => OVERHEAD_BYTES + (image?.bytes.length ?? 0),
    // An image whose place others take while it is requested is returned too.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => images.fetch(...context),
  })
  return {
    async fetch(...context) {
      const [url, , caller] = context
      const key = keyFor(caller, url.href)
      const found = await kept.forceFetch(key, { context })
      if (found.facts.problem === TIMED_OUT) kept.delete(key)
      return found
    },
  }
}

async function read(url: URL, { response, status }: FinalResponse, signal: AbortSignal): Promise<FetchedImage> {
  if (status !== 200) return failed(url, `HTTP ${status}`)
  const declaredBytes = declaredLength(response)
  if (declaredBytes !== null && declaredBytes > MAX_IMAGE_BYTES) return tooLarge(url, declaredBytes)
  const bytes = await readStart(response, MAX_IMAGE_BYTES + 1, signal)
  if (bytes.length > MAX_IMAGE_BYTES) return tooLarge(url, null)
  const type = sniffContent(contentTypeOf(response.fields), bytes, true)
  // The bytes decide the type. The Content-Type is only used for SVG and in messages.
  const mimeType = imageTypeOf(bytes)
  if (mimeType === null && type?.mimeType !== SVG_TYPE) {
    return failed(url, type === null || type.kind === 'empty' ? 'empty response' : notAnImage(type))
  }
  if (mimeType !== null && UNSUPPORTED_IMAGES.includes(mimeType)) return failed(url, `${mimeType} is not supported`)
  const size = imageSizeOf(bytes, mimeType ?? SVG_TYPE)
  // Icons and SVGs may have an unknown size: Chromium shows icons with at most 256 × 256 pixels, and SVGs are not
  // shown.
  if (size === null && mimeType !== null && mimeType !== 'image/x-icon') return failed(url, 'image of unknown size')
  if (size !== null && size.width * size.height > MAX_PIXELS) {
    return failed(url, `${sizeText(size)}, over ${MAX_PIXELS / 1_000_000} million pixels`)
  }
  const facts = { url: url.href, problem: '', mimeType: mimeType ?? SVG_TYPE, bytes: bytes.length, size }
  // An SVG is a document that can contain scripts, so it is never displayed.
  return { facts, image: mimeType === null ? null : { mimeType, bytes } }
}

/** The Content-Length in bytes; null if the body is compressed, or if the header is missing or invalid. */
function declaredLength({ fields }: FinalResponse['response']): number | null {
  const length = fields.has('content-encoding') ? null : fieldValue(fields, 'content-length')
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null
}

/** The Content-Type may declare an image although the bytes are something else. */
function notAnImage({ kind, mimeType }: ContentType): string {
  return kind === 'image' ? `not an image, although declared as ${mimeType}` : `not an image: ${mimeType}`
}

function tooLarge(url: URL, bytes: number | null): FetchedImage {
  return failed(url, overText(bytes ?? MAX_IMAGE_BYTES, MAX_IMAGE_BYTES), bytes)
}

function failed(url: URL, problem: string, bytes: number | null = null): FetchedImage {
  return { facts: { url: url.href, problem, mimeType: '', bytes, size: null }, image: null }
}
