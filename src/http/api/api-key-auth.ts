import { isClientAllowed, notAllowed } from '../../core/accounts/key-settings.ts'
import type { Admission, Caller } from '../../service/usage/admission.ts'
import type { AccessLog } from '../server/access-log.ts'
import type { ClientOf } from '../server/remote-addresses.ts'

export interface ApiKeyAuthDeps {
  admission: Admission
  accessLog: AccessLog
  clientOf: ClientOf
}

/**
 * Authenticates the caller before parameters are validated, so that errors about parameters are only returned to
 * authenticated callers. The header takes precedence over the parameter; an empty header counts as missing.
 */
export function createApiKeyAuth({ admission, accessLog, clientOf }: ApiKeyAuthDeps) {
  function admit(request: Request, caller: Caller): Caller {
    const { userId, keyId, allowedRanges } = caller
    accessLog.add(request, { key: keyId })
    // Set before the address is checked, so that the user's log also shows requests from refused addresses.
    accessLog.attribute(request, { userId, keyId, path: null })
    if (isClientAllowed(() => clientOf(request), allowedRanges)) return caller
    throw notAllowed('allowedAddresses')
  }

  return (request: Request, parameter: () => string | null): Caller | Promise<Caller> => {
    const key = request.headers.get('x-api-key')?.trim() || parameter() || null
    const caller = admission.authenticate(key, () => clientOf(request))
    return caller instanceof Promise ? caller.then((found) => admit(request, found)) : admit(request, caller)
  }
}
