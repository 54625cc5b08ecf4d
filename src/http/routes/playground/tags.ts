import { Elysia } from 'elysia'

import { userCaller } from '../../../core/previews/ports.ts'
import { redirect } from '../../session/auth.ts'
import type { RouteDeps } from '../route-deps.ts'

/** Longer text is truncated. All listed tags of a page have fewer characters. */
const MAX_TEXT_CHARACTERS = 40_000

/**
 * `POST /playground/results/:id/tags`: replaces the tags of a page in its link previews, before they are published.
 * New images, oEmbed responses and robots.txt files are requested only when the user presses the button, not while the
 * user is typing.
 */
export function playgroundTagsRoutes({ auth, history, previewRequests }: RouteDeps) {
  return new Elysia()
    .use(auth.signedInUser)
    .post('/playground/results/:id/tags', async ({ request, viewer, form, params: { id } }) => {
      const userId = viewer.user.id
      const record = await history.find(userId, id)
      // If the result has expired, the page it redirects to says so.
      if (record?.outcome.kind === 'success') {
        const text = form('tags').replaceAll('\r\n', '\n').slice(0, MAX_TEXT_CHARACTERS)
        const edited = { ...record.outcome, editedTags: form('reset') === 'true' ? null : text }
        const options = { signal: request.signal, readCache: true }
        const outcome = form('images') === 'true' ? await previewRequests(userCaller(userId), edited, options) : edited
        await history.replace(userId, id, { ...record, outcome })
      }
      return redirect(`/playground/results/${encodeURIComponent(id)}`)
    })
}
