import { maskedKey } from '../../core/accounts/api-key.ts'
import type { NewApiKey, User } from '../../core/accounts/ports.ts'
import { AppError } from '../../core/errors.ts'
import { type KeySettings, UNRESTRICTED } from '../../core/accounts/key-settings.ts'
import { limitChangesText, type OwnLimits, planOfNewUser, type PlanName } from '../../core/plan.ts'
import { monthOf } from '../../core/period.ts'
import type { System } from '../../core/system.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import type { AccountStores } from '../stores.ts'
import type { Audit } from './audit.ts'
import type { DeletedAccounts } from './deleted-accounts.ts'
import type { KeyRing } from './key-ring.ts'
import { withUsage } from '../usage/key-usage.ts'
import type { SignInLinks } from './sign-in-links.ts'

/** Email addresses are in the form of `parseEmail`. */
export type CommandLineAccounts = ReturnType<typeof createCommandLineAccounts>

export interface CommandLineAccountsDeps
  extends Pick<AccountStores, 'users' | 'keys' | 'usage'>, Pick<System, 'now' | 'newId'> {
  deletedAccounts: DeletedAccounts
  keyRing: KeyRing
  links: SignInLinks
  auditEntry: Audit
  /** The email addresses of the operators. */
  operators: readonly string[]
  settings: CurrentSettings<'plans'>
}

const COMMAND_LINE = null

export function createCommandLineAccounts(deps: CommandLineAccountsDeps) {
  const { users, keys, usage, deletedAccounts, keyRing, links, auditEntry, operators, settings, now, newId } = deps

  /** The user is for the audit log. */
  const keyWithUser = async (id: string) => {
    const key = await keys.find(id)
    const user = key && (await users.find(key.userId))
    if (!user) throw new AppError('not_found', `No key has the id ${id}`)
    return { ...key, user }
  }

  const setPlan = async (email: string, plan: PlanName) => {
    const audited = (user: User) => auditEntry(COMMAND_LINE, 'plan_changed', user, settings().plans[plan].label)()
    const changed = await users.setPlan(email, { plan }, audited)
    if (!changed) throw noUser(email)
    return changed.user
  }

  return {
    /**
     * Creates a key, and its user (on `plan`, or that of new users) if the user does not exist. For an existing user, `plan` changes
     * the plan. The key is only returned here and cannot be read again.
     * @throws AppError `forbidden` for a suspended user; `key_limit` at the user's maximum of keys
     */
    async createKey({ email, plan, ...keySettings }: Partial<KeySettings> & { email: string; plan?: PlanName }) {
      let user = await users.ensure({ id: newId(), email, plan: planOfNewUser(email, operators), createdAtMs: now() })
      await deletedAccounts.restore({ userId: user.id, email, identities: [] })
      if (user.suspendedAtMs !== null) {
        throw new AppError('forbidden', `${email} is suspended: lift the suspension before creating a key`)
      }
      if (plan && plan !== user.plan) user = await setPlan(email, plan)
      const audited = auditEntry(COMMAND_LINE, 'key_created', user, ({ lastFour }: NewApiKey) => maskedKey(lastFour))
      return keyRing.issue(user, { name: 'default', ...UNRESTRICTED, ...keySettings }, audited)
    },

    /** @throws AppError `not_found`; `key_limit` if the key is deactivated, expired or rotated */
    async updateKey(id: string, changes: Partial<KeySettings>) {
      const { userId, lastFour, user } = await keyWithUser(id)
      await keyRing.update(userId, id, changes, auditEntry(COMMAND_LINE, 'key_updated', user, maskedKey(lastFour)))
    },

    /**
     * Replaces a key, which then works for another `overlapMs`.
     * @throws AppError `not_found`; `key_limit` if the key was rotated or deleted, and at the plan's maximum
     */
    async rotateKey(id: string, overlapMs: number) {
      const { lastFour, user } = await keyWithUser(id)
      const detail = (successor: NewApiKey) => `${maskedKey(lastFour)} → ${maskedKey(successor.lastFour)}`
      return keyRing.rotate(user, id, overlapMs, auditEntry(COMMAND_LINE, 'key_rotated', user, detail))
    },

    listKeys: async () => withUsage(await keys.list(), usage, monthOf(now())),

    /** @throws AppError `not_found` */
    async deactivateKey(id: string) {
      const { userId, lastFour, user } = await keyWithUser(id)
      await keys.deactivate(userId, id, now(), auditEntry(COMMAND_LINE, 'key_deactivated', user, maskedKey(lastFour)))
    },

    listUsers: () => users.list(),
    /** @throws AppError `not_found` */
    setPlan,

    /** Changes own limits of a user; without changes, only reads the user. @throws AppError `not_found` */
    async setLimits(email: string, changes: Partial<OwnLimits>): Promise<User> {
      const user = await users.findByEmail(email)
      if (!user) throw noUser(email)
      if (Object.keys(changes).length === 0) return user
      const audited = auditEntry<User>(COMMAND_LINE, 'limits_changed', user, limitChangesText(user, changes))
      return (await users.setPlan(email, changes, audited))?.user ?? user
    },

    /** Returns the token of the link. */
    async createSignInLink(email: string) {
      const user = (await users.findByEmail(email)) ?? { id: null, email }
      return links.create(email, auditEntry(COMMAND_LINE, 'link_created', user))
    },
  }
}

const noUser = (email: string) => new AppError('not_found', `No user has the email ${email}`)
