import { Elysia } from 'elysia'

import { FIELDS } from '../../core/extract/fields/fields.ts'
import { LandingPage } from '../../../views/landing.tsx'
import { CHART_DAYS, OverviewPage } from '../../../views/overview.tsx'
import { keyItemOf } from '../pages/key-item.ts'
import type { RouteDeps } from './route-deps.ts'

/** `/`: the landing page, or the overview for signed-in users. */
export const homeRoutes = ({ auth, keyRing, reports, plans, baseUrl, version }: RouteDeps) =>
  new Elysia().use(auth.optionalUser).get('/', async ({ context }) => {
    const options = { path: '/' }
    if (context.signedIn === null) {
      return context.render(options, () => (
        <LandingPage baseUrl={baseUrl()} version={version} fieldCount={FIELDS.length} />
      ))
    }
    const { user } = context.signedIn
    const [month, { keys, active }, days] = await Promise.all([
      reports.month(user),
      keyRing.list(user.id, 1),
      reports.days(user.id, CHART_DAYS, null),
    ])
    return context.render(options, (frame) => (
      <OverviewPage
        frame={frame}
        month={month}
        keys={keys.map((key) => keyItemOf(key, frame.nowMs))}
        activeKeys={active}
        maxKeys={plans[user.plan].maxKeys}
        days={days}
      />
    ))
  })
