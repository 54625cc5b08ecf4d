import { Elysia } from 'elysia'

import { expiryPresets } from '../../core/accounts/key-expiry.ts'
import type { SignedIn } from '../../service/accounts/sessions.ts'
import { KeysPage, type KeysProps } from '../../../views/keys.tsx'
import type { RequestContext } from '../session/auth.ts'
import { shownError } from '../errors/errors.ts'
import { NO_KEY_FIELDS, readKeyForm } from '../pages/key-form.ts'
import { keyItemOf } from '../pages/key-item.ts'
import { queryOf } from '../server/query.ts'
import { pageNumber, pagingOf } from '../pages/paging.ts'
import type { RouteDeps } from './route-deps.ts'

/** `/keys`: lists and creates the user's keys. */
export function keyRoutes({ auth, keyRing, plans, upgradeUrl, accessLog, now }: RouteDeps) {
  type Outcome = Partial<Pick<KeysProps, 'form' | 'created' | 'error'>> & { status?: number; page?: number }

  async function show(context: RequestContext, { user }: SignedIn, outcome: Outcome) {
    const { form = NO_KEY_FIELDS, created = null, error = '', status = 200, page = 1 } = outcome
    const { keys, active, total } = await keyRing.list(user.id, page)
    return context.render({ path: '/keys', status }, KeysPage, {
      keys: keys.map((key) => keyItemOf(key, now())),
      paging: pagingOf(page, total),
      active,
      plan: plans[user.plan],
      expiryPresets: expiryPresets(now()),
      upgradeUrl,
      form,
      error,
      created,
      idempotencyKey: keyRing.newIdempotencyKey(),
    })
  }

  return new Elysia()
    .use(auth.signedInUser)
    .get('/keys', ({ request, context, viewer }) => {
      const page = pageNumber(queryOf(request)('page'))
      return show(context, viewer, { page, ...(context.draft && { form: readKeyForm(context.draft, now()).fields }) })
    })
    .post('/keys', async ({ request, context, viewer, form }) => {
      const { settings, fields } = readKeyForm(form, now())
      if (settings === null) {
        accessLog.add(request, { outcome: 'invalid_request' })
        return show(context, viewer, { form: fields, status: 400 })
      }
      try {
        const { key } = await keyRing.issueByForm(viewer.user, settings, form('idempotency_key'))
        // Rendered in this response, because a redirect would require storing the key.
        return await show(context, viewer, { created: { ...settings, key } })
      } catch (error) {
        return show(context, viewer, { form: fields, ...shownError(accessLog, request, error) })
      }
    })
}
