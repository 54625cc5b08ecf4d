import { Elysia } from 'elysia'

import { AppError } from '../../core/errors.ts'
import { expiryPresets, OVERLAPS, parseOverlap } from '../../core/accounts/key-expiry.ts'
import { ALLOW_LIST_NAMES, type KeySettings } from '../../core/accounts/key-settings.ts'
import { ALL_REQUESTS } from '../../core/usage/request-log.ts'
import type { SignedIn } from '../../service/accounts/sessions.ts'
import { KeyPage, type KeyProps } from '../../../views/key.tsx'
import { LATEST_REQUESTS } from '../../../views/key/activity.tsx'
import { CHART_DAYS } from '../../../views/ui/chart-days.ts'
import type { KeyFields } from '../../../views/ui/key-fields.tsx'
import { keyPath } from '../../../views/ui/key-table.tsx'
import type { RequestContext, UserRequest } from '../session/auth.ts'
import { shownError } from '../errors/errors.ts'
import { keyFieldsOf, readKeyForm } from '../pages/key-form.ts'
import { keyItemOf } from '../pages/key-item.ts'
import type { RouteDeps } from './route-deps.ts'

/** The submitted form of one key. */
type Submitted = UserRequest & { request: Request; params: { id: string } }

/** `/keys/<id>`: shows, changes, rotates and deactivates one key of the user. */
export function keyPageRoutes({ auth, keyRing, reports, requestLogs, accessLog, now }: RouteDeps) {
  type Outcome = Partial<Pick<KeyProps, 'rotated' | 'error'>> & { fields?: Partial<KeyFields>; status?: number }

  async function show(context: RequestContext, { user }: SignedIn, id: string, outcome: Outcome = {}) {
    const { key, successor } = await keyRing.details(user.id, id)
    const [days, { requests, summary }] = await Promise.all([
      reports.days(user.id, CHART_DAYS, id),
      requestLogs.page(user.id, { ...ALL_REQUESTS, keyId: id }, 1),
    ])
    const latest = requests.slice(0, LATEST_REQUESTS)
    const { failuresByReason } = summary
    const { fields, rotated = null, error = '', status = 200 } = outcome
    return context.render({ path: keyPath(id), status }, KeyPage, {
      item: keyItemOf(key, now()),
      activity: { days, latest, failuresByReason, loggedDays: requestLogs.days() },
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
    const { settings, fields } = readKeyForm(form, now(), names)
    if (settings === null) {
      accessLog.add(request, { outcome: 'invalid_request' })
      return show(context, viewer, params.id, { fields, status: 400 })
    }
    try {
      await keyRing.update(viewer.user.id, params.id, settings)
      return auth.redirectWithNotice(keyPath(params.id), 'key_updated')
    } catch (error) {
      return show(context, viewer, params.id, shownError(accessLog, request, error))
    }
  }

  return new Elysia({ prefix: '/keys/:id' })
    .use(auth.signedInUser)
    .get('', ({ context, viewer, params }) => show(context, viewer, params.id))
    .post('', ({ request, context, viewer, params, form }) => {
      return save({ request, context, viewer, params, form }, ['name', 'expiresAtMs'])
    })
    .post('/restrictions', ({ request, context, viewer, params, form }) => {
      return save({ request, context, viewer, params, form }, ALLOW_LIST_NAMES)
    })
    .post('/rotate', async ({ request, context, viewer, params, form }) => {
      const overlapMs = parseOverlap(form('overlap'))
      if (overlapMs === null) throw new AppError('invalid_request', 'Choose how long the old key keeps working')
      const { user } = viewer
      try {
        const rotated = await keyRing.rotate(user.id, params.id, overlapMs, keyRing.maxPerHour(user))
        // Rendered in this response, because a redirect would require storing the key.
        return await show(context, viewer, params.id, { rotated })
      } catch (error) {
        return show(context, viewer, params.id, shownError(accessLog, request, error))
      }
    })
    .post('/deactivate', async ({ viewer, params }) => {
      await keyRing.deactivate(viewer.user.id, params.id)
      return auth.redirectWithNotice('/keys', 'key_deactivated')
    })
}
