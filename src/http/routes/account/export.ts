import { Elysia } from 'elysia'

import type { Profiles } from '../../../service/profiles.ts'
import type { Door } from '../../door.ts'
import { json } from '../../json.ts'

const DOWNLOAD = { 'content-disposition': 'attachment; filename="urlmeta-account.json"' }

/** `/account/export`: everything that is kept of the account. */
export const accountExportRoutes = ({ door, profiles }: { door: Door; profiles: Profiles }) =>
  new Elysia()
    .use(door.members)
    .get('/account/export', async ({ member }) =>
      json(JSON.stringify(await profiles.export(member.user), null, 2), { headers: DOWNLOAD }),
    )
