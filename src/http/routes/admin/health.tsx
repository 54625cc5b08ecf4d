import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import type { DayReport } from '../../../service/statistics.ts'
import { AdminHealth, type AdminHealthProps } from '../../../../views/admin/health.tsx'
import type { Door } from '../../door.ts'

/** The current state of fetches, Chromium and cache. */
export type Machinery = Pick<AdminHealthProps, 'startedAtMs' | 'fetches' | 'chromium' | 'cache'>

export interface AdminHealthRouteParts {
  door: Door
  machinery: () => Promise<Machinery>
  /** The last 24 hours. */
  report: () => DayReport
}

/** `/admin/health`: fetches, Chromium, cache and failures. */
export const adminHealthRoutes = ({ door, machinery, report }: AdminHealthRouteParts) =>
  new Elysia().use(door.operators).get('/admin/health', async ({ visitor }) => {
    const now = await machinery()
    const { failuresByReason, failingHosts, ...day } = report()
    return visitor.show({ path: '/admin/health' }, (frame) => (
      <AdminHealth frame={frame} {...now} day={day} failuresByReason={failuresByReason} failingHosts={failingHosts} />
    ))
  })
