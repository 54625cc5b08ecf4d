import { Elysia } from 'elysia'

import type { Admission } from '../service/admission.ts'
import { queryOf } from './metadata-query.ts'
import type { Observer } from './observe.ts'

/**
 * Authenticates the caller before parameters are validated, so that errors about parameters are only returned to
 * authenticated callers. The header takes precedence over the query; an empty header counts as missing.
 */
export const apiKeyAuth = ({ admission, observer }: { admission: Admission; observer: Observer }) =>
  new Elysia().derive({ as: 'scoped' }, async ({ request }) => {
    const key = request.headers.get('x-api-key')?.trim() || queryOf(request)('api_key') || null
    const caller = await admission.authenticate(key)
    observer.note(request, { key: caller.keyId })
    return { caller }
  })
