import { Elysia } from 'elysia'

import { resultPath } from '../../../../views/playground/outcome.ts'
import { FIELD_NAMES, type FieldName, withFields } from '../../../previews/rules/fields.ts'
import { userCaller } from '../../../previews/service/preview-caller.ts'
import { fingerprintOf } from './link-preview.ts'
import { redirect } from '../../session/request-context.ts'
import type { Form } from '../../session/form.ts'
import type { PlaygroundContext } from './playground-context.ts'

/** Longer text is truncated. All listed tags of a page have fewer characters. */
const MAX_TEXT_CHARACTERS = 40_000

/**
 * `POST /playground/results/:id/tags`: replaces the tags of a page in its link previews, before they are published. New
 * images, oEmbed responses and robots.txt files are only requested when the user presses the button, or pauses.
 */
export function playgroundTagsRoutes({ auth, history, previewRequests }: PlaygroundContext) {
  return new Elysia()
    .use(auth.signedInUser)
    .post('/playground/results/:id/tags', async ({ request, viewer, form, params: { id } }) => {
      const userId = viewer.user.id
      const record = await history.find(userId, id)
      // If the result has expired, the page that this redirects to says so.
      if (record?.outcome.kind === 'success') {
        // `true` or `corrected`, from the button that was pressed; '' while the user types.
        const images = form('images')
        const html = form(images === 'corrected' ? images : 'tags')
          .replaceAll('\r\n', '\n')
          .slice(0, MAX_TEXT_CHARACTERS)
        const text = withFields(html, changedFields(form))
        const edited = { ...record.outcome, editedTags: form('reset') === 'true' ? null : text }
        await history.replace(userId, id, { ...record, outcome: edited })
        if (images !== '') {
          const outcome = await previewRequests(userCaller(userId), edited, { signal: request.signal, readCache: true })
          // The next edit aborts this request. Its images then count as failed although their sites work, so they are
          // not stored.
          if (!request.signal.aborted) await history.replace(userId, id, { ...record, outcome })
        }
      }
      return redirect(resultPath(id))
    })
}

/** The fields that differ from their values when the page was sent. The HTML may have been edited as well. */
function changedFields(form: Form): Partial<Record<FieldName, string>> {
  const changed = FIELD_NAMES.filter((name) => {
    const before = form(`was-${name}`)
    return before !== '' && fingerprintOf(form(name)) !== before
  })
  return Object.fromEntries(changed.map((name) => [name, form(name)]))
}
