import { Elysia } from 'elysia'

import { imageUrlsOf } from '../../core/previews/preview.ts'
import type { ImageProxy } from '../../service/image-proxy.ts'
import { type PlaygroundSuccessRecord, previewFactsOf } from '../../service/link-previews.ts'
import type { PlaygroundHistory } from '../../service/playground-history.ts'
import { type Auth, redirect } from '../auth.ts'

/** Longer text is cut. The tags of large sites have about 8,000 characters. */
const MAX_TEXT_CHARACTERS = 20_000

/** Most images that edits add to a result; the oldest are forgotten. */
const MAX_IMAGES = 24

export interface PlaygroundTagsRouteDeps {
  auth: Auth
  history: PlaygroundHistory
  imageProxy: ImageProxy
}

/**
 * `POST /playground/results/:id/tags`: replaces the tags of a page in its link previews, before they are published.
 * Nothing is fetched but new images, and those only when the form asks for them: while somebody types, it does not.
 */
export function playgroundTagsRoutes({ auth, history, imageProxy }: PlaygroundTagsRouteDeps) {
  /** The result with the facts of the images that it did not have. */
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
      // The page of an expired result says so.
      if (record?.outcome.kind === 'success') {
        const text = form('tags').replaceAll('\r\n', '\n').slice(0, MAX_TEXT_CHARACTERS)
        const edited = { ...record.outcome, editedTags: form('reset') === 'true' ? null : text }
        const outcome = form('images') === 'true' ? await withImages(userId, edited, request.signal) : edited
        await history.replace(userId, id, { ...record, outcome })
      }
      return redirect(`/playground/results/${encodeURIComponent(id)}`)
    })
}
