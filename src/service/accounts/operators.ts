import type { ApiKey, DeletedIdentity, User, UserFilter } from '../../core/accounts/ports.ts'
import type { AuditLog } from '../../core/accounts/audit-log.ts'
import { maskedKey } from '../../core/accounts/api-key.ts'
import { parseEmail } from '../../core/accounts/email.ts'
import { AppError } from '../../core/errors.ts'
import { LIST_PAGE_ROWS, MAX_COUNTED_USERS } from '../../core/limits.ts'
import { monthOf } from '../../core/period.ts'
import { limitChangesText, type OwnLimits, type PlanName } from '../../core/plan.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import type { System } from '../../core/system.ts'
import type { AccountStores } from '../stores.ts'
import type { Audit } from './audit.ts'
import type { SignInLinks } from './sign-in-links.ts'
import { withUsage } from '../usage/key-usage.ts'

/** The number of audit log entries on a user's page. */
const LATEST_ACTIONS = 20

interface OperatorDeps extends Pick<AccountStores, 'users' | 'identities' | 'keys' | 'usage'>, Pick<System, 'now'> {
  audit: AuditLog
  auditEntry: Audit
  links: SignInLinks
  settings: CurrentSettings<'plans'>
  /** Whether links are the only way into an account that exists, and operators may create them. */
  opensByLink: (email: string) => boolean
  /** Null if no backups are scheduled. */
  backups: { backUpNow(record: () => Promise<void>): Promise<'running' | 'written' | 'failed'> } | null
}

/** Operator views and actions. Actions return whether they changed something; if so, the audit log records them. */
export type Operators = ReturnType<typeof createOperators>

export function createOperators(deps: OperatorDeps) {
  const { users, identities, keys, audit, auditEntry, links, settings, opensByLink, backups, now } = deps
  const { find, ...directory } = createUserDirectory(deps)

  return {
    ...directory,
    find,

    /**
     * Creates an invitation for an address without an account, or a sign-in link for an account that only opens by link.
     * @throws AppError `invalid_request`
     */
    async invite(operator: User, text: string) {
      const email = parseEmail(text)
      if (email === null) throw new AppError('invalid_request', 'Enter an email address such as jo@example.com')
      const user = await users.findByEmail(email)
      if (user !== null && !opensByLink(email)) {
        throw new AppError('invalid_request', `${email} already has an account`)
      }
      const subject = user ?? { id: null, email }
      const audited = auditEntry(operator.email, user === null ? 'invited' : 'link_created', subject)
      const link = user === null ? links.invite(email, operator.email, audited) : links.create(email, audited)
      return { email, isInvitation: user === null, ...(await link) }
    },

    invitations: (page: number) => links.invitations(pageOf(page)),

    revokeInvitation: (operator: User, email: string): Promise<boolean> =>
      links.revokeInvitation(email, auditEntry(operator.email, 'invitation_revoked', { id: null, email })),

    actions: (page: number) => audit.list(pageOf(page)),

    /** Creates a backup, unless one is being created. @throws AppError `not_found` if no backups are scheduled */
    async backUp(operator: User) {
      if (backups === null) throw new AppError('not_found', 'No backups are scheduled')
      return backups.backUpNow(() => audit.record(auditEntry(operator.email, 'backed_up', null)()))
    },

    /** @throws AppError `not_found` */
    async setPlan(operator: User, userId: string, plan: PlanName): Promise<boolean> {
      const user = await find(userId)
      const { plans } = settings()
      const detail = `${plans[user.plan].label} → ${plans[plan].label}`
      const audited = auditEntry<User>(operator.email, 'plan_changed', user, detail)
      const changed = await users.setPlan(user.email, { plan }, audited)
      return changed?.hasChanged ?? false
    },

    /** Changes the user's own limits. @throws AppError `not_found` */
    async setLimits(operator: User, userId: string, limits: OwnLimits): Promise<boolean> {
      const user = await find(userId)
      const audited = auditEntry<User>(operator.email, 'limits_changed', user, limitChangesText(user, limits))
      return (await users.setPlan(user.email, limits, audited))?.hasChanged ?? false
    },

    /** @throws AppError `not_found` */
    async deactivateKey(operator: User, userId: string, keyId: string): Promise<boolean> {
      const user = await find(userId)
      const detail = ({ name, lastFour }: ApiKey) => `${name} (${maskedKey(lastFour)})`
      const audited = auditEntry(operator.email, 'key_deactivated', user, detail)
      const deactivated = await keys.deactivate(userId, keyId, now(), audited)
      if (!deactivated) throw new AppError('not_found', 'Key not found')
      return deactivated.hasChanged
    },

    /** Keys and sessions stop working immediately. @throws AppError `not_found`; `forbidden` for oneself */
    async suspend(operator: User, userId: string): Promise<boolean> {
      if (operator.id === userId) throw new AppError('forbidden', 'You cannot suspend yourself')
      const user = await find(userId)
      return users.suspend(userId, now(), auditEntry(operator.email, 'suspended', user))
    },

    /** @throws AppError `not_found` */
    async resume(operator: User, userId: string): Promise<boolean> {
      const user = await find(userId)
      return users.resume(userId, auditEntry(operator.email, 'resumed', user))
    },

    /**
     * Removes all identities and sessions, so that the next sign-in with the account's verified address gets the
     * account. This helps users who have a new id at the provider. Keys keep working. Operators can also disconnect
     * themselves.
     * @throws AppError `not_found`
     */
    async disconnect(operator: User, userId: string): Promise<boolean> {
      const user = await find(userId)
      const detail = (deleted: readonly DeletedIdentity[]) =>
        deleted.map(({ issuer, account }) => `${account} (${issuer})`).join(', ')
      const disconnected = await identities.disconnect(userId, auditEntry(operator.email, 'disconnected', user, detail))
      return disconnected.length > 0
    },
  }
}

/** Finds users, and reads their keys, usage and audit log. */
function createUserDirectory({ users, keys, usage, audit, now }: OperatorDeps) {
  const find = async (id: string): Promise<User> => {
    const user = await users.find(id)
    if (!user) throw new AppError('not_found', 'User not found')
    return user
  }

  const searchNewest = (filter: UserFilter, page: number) =>
    users.search({ ...filter, ...pageOf(page), maxTotal: MAX_COUNTED_USERS, nowMs: now() })

  /** Reads the usage of all matching users, because usage may be in another database than users. */
  async function searchByUsage(filter: UserFilter, page: number) {
    const ids = await users.matching(filter)
    const used = await usage.used(ids, monthOf(now()))
    const sorted = ids.toSorted((a, b) => (used.get(b) ?? 0) - (used.get(a) ?? 0))
    const { offset, limit } = pageOf(page)
    return { users: await users.listed(sorted.slice(offset, offset + limit), now()), total: ids.length }
  }

  return {
    /** @throws AppError `not_found` */
    find,

    /** One page of the matching users: newest first, or sorted by their requests this month. */
    async users({ page, sort, ...filter }: UserFilter & { page: number; sort: 'newest' | 'usage' }) {
      const { users: found, total } = await (sort === 'usage' ? searchByUsage : searchNewest)(filter, page)
      const ids = found.map(({ id }) => id)
      const used = await usage.used(ids, monthOf(now()))
      return { total, users: found.map((user) => ({ ...user, used: used.get(user.id) ?? 0 })) }
    },

    /** A user, with one page of their keys. @throws AppError `not_found` */
    async user(id: string, keyPage: number) {
      const month = monthOf(now())
      const user = await find(id)
      const [keyList, used, { entries }] = await Promise.all([
        keys.listOf(id, now(), pageOf(keyPage)),
        usage.used([id], month),
        audit.list({ userId: id, offset: 0, limit: LATEST_ACTIONS }),
      ])
      return {
        user: { ...user, activeKeys: keyList.active, used: used.get(id) ?? 0 },
        keys: { ...keyList, keys: await withUsage(keyList.keys, usage, month) },
        actions: entries,
      }
    },
  }
}

const pageOf = (page: number) => ({ offset: (page - 1) * LIST_PAGE_ROWS, limit: LIST_PAGE_ROWS })
