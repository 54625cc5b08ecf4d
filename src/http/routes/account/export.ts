import { Elysia } from 'elysia'

import type { Profiles } from '../../../service/accounts/profiles.ts'
import type { Auth } from '../../session/auth.ts'
import { json } from '../../server/json.ts'

const DOWNLOAD = { 'content-disposition': 'attachment; filename="urlmeta-account.json"' }

/** `/account/export`: everything stored about the user, as JSON. */
export const accountExportRoutes = ({ auth, profiles }: { auth: Auth; profiles: Profiles }) =>
  new Elysia()
    .use(auth.signedInUser)
    .get('/account/export', async ({ viewer }) =>
      json(JSON.stringify(await profiles.export(viewer.user), null, 2), { headers: DOWNLOAD }),
    )
