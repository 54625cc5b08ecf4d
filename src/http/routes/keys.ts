import { Elysia } from 'elysia'

import { AppError } from '../../core/errors.ts'
import { expiryPresets, OVERLAPS, parseOverlap } from '../../core/accounts/key-expiry.ts'
import { ALLOW_LIST_NAMES, type KeySettings } from '../../core/accounts/key-settings.ts'
import { limitScope, limitsOf } from '../../core/plan.ts'
import { ALL_REQUESTS } from '../../core/usage/request-log.ts'
import type { SignedIn } from '../../service/accounts/sessions.ts'
import { KeyPage, type KeyProps } from '../../../views/key.tsx'
import { KeysPage, type KeysProps } from '../../../views/keys.tsx'
import { CHART_DAYS } from '../../../views/ui/chart-days.ts'
import type { KeyFields } from '../../../views/ui/key-fields.tsx'
import { keyPath } from '../../../views/ui/key-table.tsx'
import type { UserRequest } from '../session/auth.ts'
import type { RequestContext } from '../session/request-context.ts'
import { shownError } from '../errors/errors.ts'
import { keyFieldsOf, NO_KEY_FIELDS, readKeyForm } from '../pages/key-form.ts'
import { keyItemOf } from '../pages/key-item.ts'
import { queryOf } from '../server/query.ts'
import { pageNumber, pagingOf } from '../pages/paging.ts'
import type { RouteContext } from './route-context.ts'

type ListOutcome = Partial<Pick<KeysProps, 'form' | 'created' | 'error'>> & { status?: number; page?: number }
type KeyOutcome = Partial<Pick<KeyProps, 'rotated' | 'error'>> & { fields?: Partial<KeyFields>; status?: number }

type Submitted = UserRequest & { request: Request; params: { id: string } }

/** `/keys`: lists and creates the user's keys. `/keys/<id>`: shows, changes, rotates and deactivates one of them. */
export function keyRoutes({ auth, keyRing, reports, requestLogs, settings, upgradeUrl, accessLog, now }: RouteContext) {
  async function showList(context: RequestContext, { user }: SignedIn, outcome: ListOutcome) {
    const { form = NO_KEY_FIELDS, created = null, error = '', status = 200, page = 1 } = outcome
    const { keys, active, total } = await keyRing.list(user.id, page)
    const limits = limitsOf(settings(), user)
    return context.render({ path: '/keys', status }, KeysPage, {
      keys: keys.map((key) => keyItemOf(key, now())),
      paging: pagingOf(page, total),
      active,
      maxKeys: limits.maxKeys,
      maxKeysScope: limitScope(limits, 'maxKeys'),
      expiryPresets: expiryPresets(now()),
      upgradeUrl,
      form,
      error,
      created,
      idempotencyKey: keyRing.newIdempotencyKey(),
    })
  }

  async function show(context: RequestContext, { user }: SignedIn, id: string, outcome: KeyOutcome = {}) {
    const { key, successor } = await keyRing.details(user.id, id)
    const [days, { requests, summary }] = await Promise.all([
      reports.days(user.id, CHART_DAYS, id),
      requestLogs.page(user.id, { ...ALL_REQUESTS, keyId: id }, 1),
    ])
    const { fields, rotated = null, error = '', status = 200 } = outcome
    return context.render({ path: keyPath(id), status }, KeyPage, {
      item: keyItemOf(key, now()),
      activity: { days, requests, failuresByReason: summary.failuresByReason, loggedDays: requestLogs.days() },
      fields: { ...keyFieldsOf(key), ...fields },
      expiryPresets: expiryPresets(now()),
      overlaps: OVERLAPS,
      successor,
      rotated,
      error,
    })
  }

  /** Saves one group of settings and keeps the others. */
  async function save({ request, context, viewer, params, form }: Submitted, names: readonly (keyof KeySettings)[]) {
    const { keySettings, fields } = readKeyForm(form, now(), names)
    if (keySettings === null) return show(context, viewer, params.id, { fields, status: 400 })
    try {
      await keyRing.update(viewer.user.id, params.id, keySettings)
      return auth.redirectWithNotice(keyPath(params.id), 'key_updated')
    } catch (error) {
      return show(context, viewer, params.id, shownError(accessLog, request, error))
    }
  }

  return new Elysia({ prefix: '/keys' })
    .use(auth.signedInUser)
    .get('', ({ request, context, viewer }) => {
      const page = pageNumber(queryOf(request)('page'))
      const form = context.draft && readKeyForm(context.draft, now()).fields
      return showList(context, viewer, { page, ...(form && { form }) })
    })
    .post('', async ({ request, context, viewer, form }) => {
      const { keySettings, fields } = readKeyForm(form, now())
      if (keySettings === null) return showList(context, viewer, { form: fields, status: 400 })
      // The page is shown first: if that fails, no key is created, because the key would be lost.
      await showList(context, viewer, {})
      try {
        const { key } = await keyRing.issueByForm(viewer.user, keySettings, form('idempotency_key'))
        // Rendered in this response, because a redirect would require storing the key.
        return await showList(context, viewer, { created: { ...keySettings, key } })
      } catch (error) {
        return showList(context, viewer, { form: fields, ...shownError(accessLog, request, error) })
      }
    })
    .get('/:id', ({ context, viewer, params }) => show(context, viewer, params.id))
    .post('/:id', ({ request, context, viewer, params, form }) => {
      return save({ request, context, viewer, params, form }, ['name', 'expiresAtMs'])
    })
    .post('/:id/restrictions', ({ request, context, viewer, params, form }) => {
      return save({ request, context, viewer, params, form }, ALLOW_LIST_NAMES)
    })
    .post('/:id/rotate', async ({ request, context, viewer, params, form }) => {
      const overlapMs = parseOverlap(form('overlap'))
      if (overlapMs === null) throw new AppError('invalid_request', 'Choose how long the old key keeps working')
      // The page is shown first: if that fails, the old key keeps working, because the new key would be lost.
      await show(context, viewer, params.id)
      try {
        const rotated = await keyRing.rotateByForm(viewer.user, params.id, overlapMs)
        // Rendered in this response, because a redirect would require storing the key.
        return await show(context, viewer, params.id, { rotated })
      } catch (error) {
        return show(context, viewer, params.id, shownError(accessLog, request, error))
      }
    })
    .post('/:id/deactivate', async ({ viewer, params }) => {
      await keyRing.deactivate(viewer.user.id, params.id)
      return auth.redirectWithNotice('/keys', 'key_deactivated')
    })
}
