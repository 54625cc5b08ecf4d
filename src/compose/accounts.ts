import { type Config, type FixedConfig, publicOrigin } from '../config.ts'
import type { CurrentSettings } from '../core/settings/live-settings.ts'
import { createCommandLineAccounts } from '../service/accounts/command-line-accounts.ts'
import { createAudit } from '../service/accounts/audit.ts'
import { createDeletedAccounts } from '../service/accounts/deleted-accounts.ts'
import { createKeyRing } from '../service/accounts/key-ring.ts'
import { createRequestLogs } from '../service/usage/request-logs.ts'
import { createSignInLinks, signInLink } from '../service/accounts/sign-in-links.ts'
import { serverOrigin } from '../store/files/directory-lock.ts'
import { memoryRateLimiter } from '../store/memory/rate-limiter.ts'
import { openSecret } from './data/secret.ts'
import { openStores, type Stores } from './stores.ts'
import { systemDeps } from './system-deps.ts'
import { owning } from './owning.ts'

export { signInLink }

type AccountStorage = Pick<Storage, 'limiter' | 'secret'> & { stores: Stores }

/** The account services shared by the command line and the dashboard. */
export function accountServices(config: FixedConfig, settings: CurrentSettings<'plans'>, storage: AccountStorage) {
  const operators = operatorEmails(config)
  const deps = { ...storage, ...storage.stores, settings, ...systemDeps }
  const deletedAccounts = createDeletedAccounts(deps)
  return {
    auditEntry: createAudit(systemDeps),
    keyRing: createKeyRing(deps),
    links: createSignInLinks({ ...deps, deletedAccounts, operators }),
    deletedAccounts,
    operators,
  }
}

/** For commands; a server may run on the same data. @throws AppError if the data cannot be used */
export async function composeAccounts(config: Config) {
  await using stack = new AsyncDisposableStack()
  const stores = stack.use(await openStores(config))
  const settings = () => config.live
  // The rate limiter is unused, because the server enforces the per-minute limits.
  const storage = { stores, limiter: memoryRateLimiter(), secret: openSecret(config) }
  const services = accountServices(config, settings, storage)
  const accounts = createCommandLineAccounts({ ...stores, settings, ...services, ...systemDeps })
  const requestLogs = createRequestLogs({ ...stores, ...systemDeps })
  // A command does not know the options and the environment with which the server was started.
  const origin = serverOrigin(config.dataDir) ?? publicOrigin(config)
  return owning(stack, { accounts, requestLogs, origin })
}

/**
 * The email addresses of the operators. Without a provider and without URLMETA_ADMIN_EMAILS, the only operator is a
 * fixed local address, for which `serve` prints a sign-in link. Only someone with access to the server can create such
 * links.
 */
export function operatorEmails({ adminEmails, providers }: FixedConfig): readonly string[] {
  if (adminEmails.length > 0) return adminEmails
  return providers.length === 0 ? [LOCAL_OPERATOR] : []
}

/** `.internal` is reserved for private use, so no mailbox can have this address. */
const LOCAL_OPERATOR = 'operator@urlmeta.internal'
