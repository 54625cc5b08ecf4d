import { Elysia } from 'elysia'

import { endOf } from '../../core/accounts/key-end.ts'
import { FIELDS } from '../../core/extract/fields/fields.ts'
import { PLAN_OF_NEW_USERS } from '../../core/plan.ts'
import { PUBLIC_PER_MINUTE } from '../../service/lookup/playground.ts'
import { LandingPage } from '../../../views/landing.tsx'
import { OverviewPage, SHOWN_REJECTED } from '../../../views/overview.tsx'
import { CHART_DAYS } from '../../../views/ui/chart-days.ts'
import { keyItemOf } from '../pages/key-item.ts'
import type { RouteContext } from './route-context.ts'

/** `/`: the landing page, or the overview for signed-in users. */
export const homeRoutes = ({ auth, keyRing, reports, settings, upgradeUrl, now }: RouteContext) =>
  new Elysia().use(auth.anyVisitor).get('/', async ({ context, viewer }) => {
    const options = { path: '/' }
    const { plans } = settings()
    if (viewer === null) {
      return context.render(options, LandingPage, {
        fieldCount: FIELDS.length,
        plans: Object.values(plans),
        planOfNewUsers: plans[PLAN_OF_NEW_USERS].label,
        visitorPerMinute: PUBLIC_PER_MINUTE,
      })
    }
    const { user } = viewer
    const [month, { keys, active }, rejected, days] = await Promise.all([
      reports.month(user),
      keyRing.list(user.id, 1),
      keyRing.rejected(user.id, SHOWN_REJECTED),
      reports.days(user.id, CHART_DAYS, null),
    ])
    const items = keys.map((key) => keyItemOf(key, now()))
    const rejectedKeys = rejected.map((key) => ({ ...key, ended: endOf(key, now()) }))
    const lists = { keys: items, rejectedKeys, activeKeys: active }
    return context.render(options, OverviewPage, { month, days, upgradeUrl, ...lists })
  })
