import type { PlaygroundSuccessRecord } from './playground-record.ts'
import { imageUrlsOf, oembedUrlOf, type PreviewInput } from '../rules/preview.ts'
import type { Caller } from '../../core/fetch/ports.ts'
import type { ImageProxy } from './image-proxy.ts'
import { previewFactsOf } from './link-previews.ts'
import type { InspectOptions, PageFiles } from './page-files.ts'

/** The maximum number of images of a result. Edits add images; the oldest are removed. */
const MAX_IMAGES = 24

/** The maximum number of URLs of a result whose robots.txt is known; the oldest are removed. */
const MAX_ROBOTS = 12

/**
 * Requests the missing inputs of previews and checks: the oEmbed response, images, and the robots.txt of both. Never
 * throws.
 */
export type PreviewRequests = ReturnType<typeof createPreviewRequests>

export interface PreviewRequestDeps {
  imageProxy: ImageProxy
  pageFiles: PageFiles
  /** Whether the operator allows requests for the oEmbed response of a page. */
  allowsOembed: (page: URL) => boolean
}

export function createPreviewRequests(deps: PreviewRequestDeps) {
  const { imageProxy, pageFiles, allowsOembed } = deps

  async function oembedOf(caller: Caller, { url, tags, oembed }: PreviewInput, signal: AbortSignal) {
    const endpoint = oembedUrlOf(tags.plain)
    if (endpoint === null || endpoint === oembed?.url || !allowsOembed(new URL(url))) return oembed
    return pageFiles.oembed(caller, endpoint, signal)
  }

  async function imagesOf(caller: Caller, input: PreviewInput, signal: AbortSignal) {
    const known = new Set(input.images.map(({ url }) => url))
    const unknown = imageUrlsOf(input).filter((url) => !known.has(url))
    return [...input.images, ...(await imageProxy.inspect(caller, unknown, signal))].slice(-MAX_IMAGES)
  }

  async function robotsOf(caller: Caller, input: PreviewInput, options: InspectOptions) {
    const { robots, url, requestedUrl, favicon } = input
    const known = new Set(robots.map((facts) => facts.url))
    const images = imageUrlsOf(input).filter((image) => image !== favicon)
    const unknown = [...new Set([url, requestedUrl, ...images])].filter((each) => !known.has(each))
    return [...robots, ...(await pageFiles.robots(caller, unknown, options))].slice(-MAX_ROBOTS)
  }

  return async (caller: Caller, outcome: PlaygroundSuccessRecord, options: InspectOptions) => {
    const facts = previewFactsOf(outcome)
    if (typeof facts === 'string') return outcome
    const { input } = facts
    const described = oembedOf(caller, input, options.signal)
    const [oembed, images, robots] = await Promise.all([
      described,
      described.then((response) => imagesOf(caller, { ...input, oembed: response }, options.signal)),
      robotsOf(caller, input, options),
    ])
    return { ...outcome, oembed, images, robots }
  }
}
