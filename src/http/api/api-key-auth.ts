import { isBrowserKey, isClientAllowed, notAllowed } from '../../core/accounts/key-settings.ts'
import { AppError } from '../../core/errors.ts'
import type { OriginLookup } from './origin-lookup.ts'
import type { Admission, Caller } from '../../service/usage/admission.ts'
import type { AccessLog } from '../server/access-log.ts'
import type { ClientOf } from '../server/remote-addresses.ts'
import { allowOrigin, type Exchange, requireOrigin } from './cors.ts'

export interface ApiKeyAuthDeps {
  admission: Admission
  accessLog: AccessLog
  clientOf: ClientOf
  isOriginAllowed: OriginLookup
}

/**
 * Authenticates the caller before parameters are validated, so that errors about parameters are only returned to
 * authenticated callers. The header takes precedence over the parameter; an empty header counts as missing.
 */
export function createApiKeyAuth({ admission, accessLog, clientOf, isOriginAllowed }: ApiKeyAuthDeps) {
  function admit({ request, set }: Exchange, caller: Caller): Caller {
    const { userId, keyId, allowedRanges, allowedOrigins } = caller
    accessLog.add(request, { key: keyId })
    // Set before the restrictions are checked, so that the user's log also shows refused requests.
    accessLog.attribute(request, { userId, keyId, path: null })
    if (isBrowserKey(caller)) requireOrigin({ request, set }, allowedOrigins)
    if (isClientAllowed(() => clientOf(request), allowedRanges)) return caller
    throw notAllowed('allowedAddresses')
  }

  /** Lets a page read that its key does not work, if another key would. */
  const rejecting =
    ({ request, set }: Exchange) =>
    async (error: unknown) => {
      const origin = request.headers.get('origin')
      const isUnknownKey = error instanceof AppError && error.kind === 'unauthorized'
      if (origin !== null && isUnknownKey && (await isOriginAllowed(origin))) allowOrigin(set, origin)
      throw error
    }

  return (exchange: Exchange, parameter: () => string | null): Caller | Promise<Caller> => {
    const key = exchange.request.headers.get('x-api-key')?.trim() || parameter() || null
    const caller = admission.authenticate(key, () => clientOf(exchange.request))
    if (!(caller instanceof Promise)) return admit(exchange, caller)
    return caller.then((found) => admit(exchange, found), rejecting(exchange))
  }
}
