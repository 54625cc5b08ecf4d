import type { PlaygroundSuccessRecord } from './playground-record.ts'
import { imageUrlsOf, oembedUrlOf } from '../rules/preview.ts'
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

  async function withOembed(caller: Caller, outcome: PlaygroundSuccessRecord, signal: AbortSignal) {
    const { url, tags } = previewFactsOf(outcome).input
    const endpoint = oembedUrlOf(tags.plain)
    if (endpoint === null || endpoint === outcome.oembed?.url || !allowsOembed(new URL(url))) return outcome
    return { ...outcome, oembed: await pageFiles.oembed(caller, endpoint, signal) }
  }

  async function withImages(caller: Caller, outcome: PlaygroundSuccessRecord, signal: AbortSignal) {
    const known = new Set(outcome.images.map(({ url }) => url))
    const unknown = imageUrlsOf(previewFactsOf(outcome).input).filter((url) => !known.has(url))
    const images = [...outcome.images, ...(await imageProxy.inspect(caller, unknown, signal))]
    return { ...outcome, images: images.slice(-MAX_IMAGES) }
  }

  async function robotsOf(caller: Caller, { robots, ...outcome }: PlaygroundSuccessRecord, options: InspectOptions) {
    const { input } = previewFactsOf({ ...outcome, robots })
    const known = new Set(robots.map(({ url }) => url))
    const images = imageUrlsOf(input).filter((url) => url !== input.favicon)
    const unknown = [...new Set([input.url, input.requestedUrl, ...images])].filter((url) => !known.has(url))
    return [...robots, ...(await pageFiles.robots(caller, unknown, options))].slice(-MAX_ROBOTS)
  }

  return async (caller: Caller, outcome: PlaygroundSuccessRecord, options: InspectOptions) => {
    const { signal } = options
    const [shown, robots] = await Promise.all([
      withOembed(caller, outcome, signal).then((described) => withImages(caller, described, signal)),
      robotsOf(caller, outcome, options),
    ])
    return { ...shown, robots }
  }
}
