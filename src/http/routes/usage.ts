import { Elysia } from 'elysia'

import { PLAYGROUND_KEY_ID } from '../../core/usage/ports.ts'
import { isWholeLog } from '../../core/usage/request-log.ts'
import { PERIODS, PLAYGROUND_FILTER, UsagePage } from '../../../views/usage.tsx'
import { queryOf } from '../server/query.ts'
import type { RouteContext } from './route-context.ts'

/**
 * `/usage`: the month's usage against its limit, and the requests of a period: all of them, of one key or of the
 * playground.
 */
export const usageRoutes = ({ auth, keyRing, reports, requestLogs, settings, upgradeUrl }: RouteContext) =>
  new Elysia().use(auth.signedInUser).get('/usage', async ({ request, context, viewer: { user } }) => {
    const query = queryOf(request)
    const period = PERIODS.find(({ days }) => String(days) === query('days')) ?? PERIODS[2]
    const wanted = query('key') || null
    const isPlayground = wanted === PLAYGROUND_FILTER
    const keyId = isPlayground ? null : wanted
    const { keys: firstKeys } = await keyRing.list(user.id, 1)
    const keys =
      keyId === null || firstKeys.some(({ id }) => id === keyId)
        ? firstKeys
        : [...firstKeys, await keyRing.find(user.id, keyId)]

    const countedKey = isPlayground ? PLAYGROUND_KEY_ID : keyId
    const counts = {
      hour: () => requestLogs.hours(user.id, countedKey, 2 * period.length),
      day: () => reports.days(user.id, 2 * period.length, countedKey),
      month: () => reports.months(user.id, period.length, countedKey),
    }
    const [month, days] = await Promise.all([reports.month(user), counts[period.unit]()])
    // For earlier months, only the totals of the account are stored.
    const isCompared = { hour: isWholeLog(days), day: true, month: countedKey === null }[period.unit]
    return context.render({ path: '/usage' }, UsagePage, {
      month,
      period,
      keys,
      keyId: wanted,
      days,
      isCompared,
      loggedDays: requestLogs.days(),
      plans: Object.values(settings().plans),
      upgradeUrl,
    })
  })
