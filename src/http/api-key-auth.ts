import { Elysia } from 'elysia'

import type { Admission } from '../service/admission.ts'
import { queryOf } from './metadata-query.ts'
import type { Observer } from './observe.ts'

/**
 * Knows the caller before anything else is looked at, so that without a key nobody learns what the parameters should
 * have been. The header wins; an empty one counts as none.
 */
export const apiKeyAuth = ({ admission, observer }: { admission: Admission; observer: Observer }) =>
  new Elysia().derive({ as: 'scoped' }, async ({ request }) => {
    const key = request.headers.get('x-api-key')?.trim() || queryOf(request)('api_key') || null
    const caller = await admission.authenticate(key)
    observer.note(request, { key: caller.keyId })
    return { caller }
  })
