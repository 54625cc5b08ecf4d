import { Elysia } from 'elysia'

import { json } from '../../server/json.ts'
import type { RouteDeps } from '../route-deps.ts'

const DOWNLOAD = { 'content-disposition': 'attachment; filename="urlmeta-account.json"' }

/** `/account/export`: everything stored about the user, as JSON. */
export const accountExportRoutes = ({ auth, profiles }: RouteDeps) =>
  new Elysia()
    .use(auth.signedInUser)
    .get('/account/export', async ({ viewer }) =>
      json(JSON.stringify(await profiles.export(viewer.user), null, 2), { headers: DOWNLOAD }),
    )
