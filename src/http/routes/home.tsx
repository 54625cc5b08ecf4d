import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { FIELDS } from '../../core/extract/fields.ts'
import type { Plans } from '../../core/plan.ts'
import type { KeyRing } from '../../service/key-ring.ts'
import type { UsageReports } from '../../service/usage-reports.ts'
import { Landing } from '../../../views/landing.tsx'
import { CHART_DAYS, Overview } from '../../../views/overview.tsx'
import type { Door } from '../door.ts'
import { keyItemOf } from '../key-item.ts'

export interface HomeRouteParts {
  door: Door
  keyRing: KeyRing
  reports: UsageReports
  plans: Plans
  /** The public origin. */
  baseUrl: () => string
  version: string
}

/** `/`: the landing page, or the overview for signed-in users. */
export const homeRoutes = ({ door, keyRing, reports, plans, baseUrl, version }: HomeRouteParts) =>
  new Elysia().use(door.visitors).get('/', async ({ visitor }) => {
    const shown = { path: '/' }
    if (visitor.signedIn === null) {
      return visitor.show(shown, () => <Landing baseUrl={baseUrl()} version={version} fieldCount={FIELDS.length} />)
    }
    const { user } = visitor.signedIn
    const [month, { keys }, days] = await Promise.all([
      reports.month(user),
      keyRing.list(user.id, 1),
      reports.days(user.id, CHART_DAYS, null),
    ])
    return visitor.show(shown, (frame) => (
      <Overview frame={frame} month={month} keys={keys.map(keyItemOf)} maxKeys={plans[user.plan].maxKeys} days={days} />
    ))
  })
