import { Elysia } from 'elysia'

import type { Admission } from '../service/admission.ts'
import { queryOf } from './metadata-query.ts'
import type { Observer } from './observe.ts'
import type { ClientOf } from './remote-addresses.ts'

export interface ApiKeyAuthDeps {
  admission: Admission
  observer: Observer
  clientOf: ClientOf
}

/**
 * Authenticates the caller before parameters are validated, so that errors about parameters are only returned to
 * authenticated callers. The header takes precedence over the query; an empty header counts as missing.
 */
export const apiKeyAuth = ({ admission, observer, clientOf }: ApiKeyAuthDeps) =>
  new Elysia().derive({ as: 'scoped' }, async ({ request }) => {
    const key = request.headers.get('x-api-key')?.trim() || queryOf(request)('api_key') || null
    const caller = await admission.authenticate(key, () => clientOf(request))
    observer.note(request, { key: caller.keyId })
    observer.attribute(request, { userId: caller.userId, keyId: caller.keyId, path: null })
    return { caller }
  })
