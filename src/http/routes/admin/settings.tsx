import { Elysia } from 'elysia'

import { AdminSettingsPage } from '../../../../views/admin/settings.tsx'
import type { RouteDeps } from '../route-deps.ts'

/** `/admin/settings`: the configuration in effect. */
export const adminSettingsRoutes = ({ auth, settings }: RouteDeps) =>
  new Elysia()
    .use(auth.operatorOnly)
    .get('/admin/settings', ({ context }) =>
      context.render({ path: '/admin/settings' }, (frame) => <AdminSettingsPage frame={frame} settings={settings()} />),
    )
