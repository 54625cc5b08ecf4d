import type { Config } from '../config.ts'
import type { RateLimiter } from '../core/state-ports.ts'
import { type Accounts, createAccounts } from '../service/accounts.ts'
import { type Audit, createAudit } from '../service/audit.ts'
import { createDeletedAccounts, type DeletedAccounts } from '../service/deleted-accounts.ts'
import { createKeyRing, type KeyRing } from '../service/key-ring.ts'
import { createSignInLinks, type SignInLinks } from '../service/sign-in-links.ts'
import { memoryRateLimiter } from '../store/memory/rate-limiter.ts'
import type { Stores } from '../store/stores.ts'
import { systemDeps } from './system-deps.ts'

/** The account services shared by the command line and the dashboard. */
export interface AccountServices {
  audit: Audit
  keyRing: KeyRing
  links: SignInLinks
  deletedAccounts: DeletedAccounts
}

export function accountServices(
  { plans }: Config,
  stores: Stores,
  limiter: RateLimiter,
  secret: Uint8Array,
): AccountServices {
  const { tickets, users, keys, usage } = stores
  const deletedAccounts = createDeletedAccounts({ usage, limiter, secret, ...systemDeps })
  return {
    audit: createAudit({ log: stores.audit, ...systemDeps }),
    keyRing: createKeyRing({ keys, usage, plans, ...systemDeps }),
    links: createSignInLinks({ tickets, users, deletedAccounts, ...systemDeps }),
    deletedAccounts,
  }
}

export function commandLineAccounts(config: Config, stores: Stores, secret: Uint8Array): Accounts {
  const { users, keys, usage } = stores
  // Unused: minute limits are counted by the server.
  const services = accountServices(config, stores, memoryRateLimiter(), secret)
  return createAccounts({ users, keys, usage, plans: config.plans, ...services, ...systemDeps })
}
