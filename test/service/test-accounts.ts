import type { Plans } from '../../src/core/plan.ts'
import { createAudit } from '../../src/service/accounts/audit.ts'
import { createCommandLineAccounts } from '../../src/service/accounts/command-line-accounts.ts'
import { createDeletedAccounts } from '../../src/service/accounts/deleted-accounts.ts'
import { createKeyRing } from '../../src/service/accounts/key-ring.ts'
import { createSignInLinks } from '../../src/service/accounts/sign-in-links.ts'
import { memoryRateLimiter } from '../../src/store/memory/rate-limiter.ts'
import type { Stores } from '../../src/compose/stores.ts'
import { settingsOf } from '../settings.ts'

/** Accounts in these stores. */
export function testAccounts(
  { users, keys, usage, tickets }: Pick<Stores, 'users' | 'keys' | 'usage' | 'tickets'>,
  plans: Plans,
  clockAndIds: { now: () => number; newId: () => string },
) {
  const deps = {
    ...clockAndIds,
    randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  }
  const settings = settingsOf({ plans })
  const secret = new Uint8Array(32)
  const deletedAccounts = createDeletedAccounts({ usage, limiter: memoryRateLimiter(), secret, ...deps })
  return createCommandLineAccounts({
    users,
    keys,
    usage,
    deletedAccounts,
    keyRing: createKeyRing({ keys, usage, settings, ...deps }),
    links: createSignInLinks({ tickets, users, deletedAccounts, operators: [], ...deps }),
    auditEntry: createAudit(deps),
    operators: [],
    settings,
    ...deps,
  })
}
