import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { AdminSettingsPage, type SettingItem } from '../../../../views/admin/settings.tsx'
import type { Auth } from '../../session/auth.ts'

export interface AdminSettingsRouteDeps {
  auth: Auth
  /** The configuration in effect, with secrets masked. */
  settings: () => readonly SettingItem[]
}

/** `/admin/settings`: the configuration in effect. */
export const adminSettingsRoutes = ({ auth, settings }: AdminSettingsRouteDeps) =>
  new Elysia()
    .use(auth.operatorOnly)
    .get('/admin/settings', ({ context }) =>
      context.render({ path: '/admin/settings' }, (frame) => <AdminSettingsPage frame={frame} settings={settings()} />),
    )
