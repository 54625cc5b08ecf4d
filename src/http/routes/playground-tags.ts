import { Elysia } from 'elysia'

import { imageUrlsOf } from '../../core/previews/preview.ts'
import type { ImageProxy } from '../../service/image-proxy.ts'
import { type PlaygroundSuccessRecord, previewFactsOf } from '../../service/link-previews.ts'
import type { PlaygroundHistory } from '../../service/playground-history.ts'
import { type Auth, redirect } from '../auth.ts'

/** Longer text is truncated. The tags of large sites have about 8,000 characters. */
const MAX_TEXT_CHARACTERS = 20_000

/** The maximum number of images of an edited result; the oldest are dropped. */
const MAX_IMAGES = 24

export interface PlaygroundTagsRouteDeps {
  auth: Auth
  history: PlaygroundHistory
  imageProxy: ImageProxy
}

/**
 * `POST /playground/results/:id/tags`: replaces the tags of a page in its link previews, before they are published.
 * Only new images are fetched, and only when the user presses the button, not while the user is typing.
 */
export function playgroundTagsRoutes({ auth, history, imageProxy }: PlaygroundTagsRouteDeps) {
  /** The result with the properties of its new images. */
  async function withImages(userId: string, outcome: PlaygroundSuccessRecord, signal: AbortSignal) {
    const known = new Set(outcome.images.map(({ url }) => url))
    const unknown = imageUrlsOf(previewFactsOf(outcome).input).filter((url) => !known.has(url))
    const images = [...outcome.images, ...(await imageProxy.inspect(userId, unknown, signal))]
    return { ...outcome, images: images.slice(-MAX_IMAGES) }
  }

  return new Elysia()
    .use(auth.signedInUser)
    .post('/playground/results/:id/tags', async ({ request, viewer, form, params: { id } }) => {
      const userId = viewer.user.id
      const record = await history.find(userId, id)
      // If the result has expired, the page it redirects to says so.
      if (record?.outcome.kind === 'success') {
        const text = form('tags').replaceAll('\r\n', '\n').slice(0, MAX_TEXT_CHARACTERS)
        const edited = { ...record.outcome, editedTags: form('reset') === 'true' ? null : text }
        const outcome = form('images') === 'true' ? await withImages(userId, edited, request.signal) : edited
        await history.replace(userId, id, { ...record, outcome })
      }
      return redirect(`/playground/results/${encodeURIComponent(id)}`)
    })
}
