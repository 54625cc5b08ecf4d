import type { Config } from '../config.ts'
import { type Accounts, createAccounts } from '../service/accounts.ts'
import { type Audit, createAudit } from '../service/audit.ts'
import { createKeyRing, type KeyRing } from '../service/key-ring.ts'
import { createSignInLinks, type SignInLinks } from '../service/sign-in-links.ts'
import type { SqliteStores } from '../store/sqlite/open.ts'
import { systemDeps } from './system-deps.ts'

/** The account services shared by the command line and the dashboard. */
export interface AccountServices {
  audit: Audit
  keyRing: KeyRing
  links: SignInLinks
}

export function accountServices({ plans }: Config, stores: SqliteStores): AccountServices {
  return {
    audit: createAudit({ log: stores.audit, ...systemDeps }),
    keyRing: createKeyRing({ keys: stores.keys, plans, ...systemDeps }),
    links: createSignInLinks({ tickets: stores.tickets, users: stores.users, ...systemDeps }),
  }
}

export function commandLineAccounts(config: Config, stores: SqliteStores): Accounts {
  const { users, keys } = stores
  return createAccounts({ users, keys, plans: config.plans, ...accountServices(config, stores), ...systemDeps })
}
