import type { ApiKey, Keys, User, Users } from '../core/account-ports.ts'
import { maskedKey } from '../core/api-key.ts'
import { AppError } from '../core/errors.ts'
import { parseEmail } from '../core/email.ts'
import { parseKeyName } from '../core/key-name.ts'
import type { PlanName, Plans } from '../core/plan.ts'
import { monthOf } from '../core/period.ts'
import type { UsageHistory } from '../core/usage-ports.ts'
import type { Audit } from './audit.ts'
import type { DeletedAccounts } from './deleted-accounts.ts'
import type { KeyRing } from './key-ring.ts'
import { withUsage, type WithUsage } from './key-usage.ts'
import type { SignInLinks } from './sign-in-links.ts'

/** Accounts as a shell on the server manages them. */
export interface Accounts {
  /**
   * Makes a key, and its user (on `plan`, or Free) when there is none yet; a plan given for an existing user changes it.
   * The key itself is returned this once and cannot be read again.
   * @throws AppError `invalid_request`; `forbidden` for a suspended user; `key_limit` when the user holds as many active keys as the plan allows
   */
  createKey(request: { email: string; name?: string; plan?: PlanName }): Promise<{ id: string; key: string }>
  listKeys(): Promise<WithUsage<ApiKey & { email: string }>[]>
  /** @throws AppError `not_found` */
  deactivateKey(id: string): Promise<void>
  listUsers(): Promise<User[]>
  /** @throws AppError `not_found` */
  setPlan(email: string, plan: PlanName): Promise<User>
  /** The token of a sign-in link that works once. @throws AppError `invalid_request` */
  createSignInLink(email: string): Promise<{ email: string; token: string; expiresAtMs: number }>
}

export interface AccountsDeps {
  users: Users
  keys: Keys
  usage: UsageHistory
  deletedAccounts: DeletedAccounts
  keyRing: KeyRing
  links: SignInLinks
  audit: Audit
  plans: Plans
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
}

/** Who acts in the audit log when a command does. */
const SHELL = null

export function createAccounts(deps: AccountsDeps): Accounts {
  const { users, keys, usage, deletedAccounts, keyRing, links, audit, plans, now, newId } = deps
  const requireEmail = (text: string) => {
    const email = parseEmail(text)
    if (!email) throw new AppError('invalid_request', `Not an email address: ${JSON.stringify(text)}`)
    return email
  }

  const setPlan = async (text: string, plan: PlanName) => {
    const set = await users.setPlan(requireEmail(text), plan)
    if (!set) throw new AppError('not_found', `No user has the email ${text}`)
    if (set.hasChanged) await audit.record(SHELL, 'plan_changed', set.user, plans[plan].label)
    return set.user
  }

  return {
    async createKey({ email: text, name: nameText = 'default', plan }) {
      const email = requireEmail(text)
      const name = parseKeyName(nameText)
      let user = await users.ensure({ id: newId(), email, plan: 'free', createdAtMs: now() })
      await deletedAccounts.resume({ userId: user.id, email, identities: [] })
      if (user.suspendedAtMs !== null) {
        throw new AppError('forbidden', `${email} is suspended, so a key would not work: end the suspension first`)
      }
      if (plan && plan !== user.plan) user = await setPlan(email, plan)
      const { id, key, lastFour } = await keyRing.issue(user, name)
      await audit.record(SHELL, 'key_created', user, maskedKey(lastFour))
      return { id, key }
    },

    listKeys: async () => withUsage(await keys.list(), usage, monthOf(now())),

    async deactivateKey(id) {
      const deactivated = await keys.deactivate(id, now())
      if (!deactivated) throw new AppError('not_found', `No key has the id ${id}`)
      const { key, hasChanged } = deactivated
      if (hasChanged)
        await audit.record(SHELL, 'key_deactivated', await users.find(key.userId), maskedKey(key.lastFour))
    },

    listUsers: () => users.list(),
    setPlan,

    async createSignInLink(text) {
      const email = requireEmail(text)
      const link = await links.create(email)
      await audit.record(SHELL, 'link_made', (await users.findByEmail(email)) ?? { id: null, email }, '')
      return { email, ...link }
    },
  }
}
