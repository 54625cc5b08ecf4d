import type { User } from '../../core/accounts/ports.ts'
import type { IdentityKey } from '../../core/accounts/identity.ts'
import { isoTime } from '../../core/iso-time.ts'
import { keyJson } from '../../core/accounts/key-json.ts'
import { userJson } from '../../core/accounts/user-json.ts'
import { monthOf } from '../../core/period.ts'
import { requestJson } from '../../core/usage/request-json.ts'
import { rowJson } from '../../core/row-json.ts'
import type { System } from '../../core/system.ts'
import { alertMessage } from '../../core/usage/alerts.ts'
import { MAX_LOGGED_OF_USER } from '../../core/usage/request-log.ts'
import type { AccountStores } from '../stores.ts'
import type { DeletedAccounts } from './deleted-accounts.ts'
import { withUsage } from '../usage/key-usage.ts'

/** What users can see and do with their own account: export its data and delete it. */
export type Profiles = ReturnType<typeof createProfiles>

/** Earlier than any counted day. */
const FIRST_DAY = '0000-01-01'

/** Covers all alerts that are kept: two per month and one per key, for 13 months. */
const MAX_EXPORTED_ALERTS = 1_000

export interface ProfilesDeps extends Omit<AccountStores, 'tickets'>, Pick<System, 'now'> {
  deletedAccounts: DeletedAccounts
}

export function createProfiles(deps: ProfilesDeps) {
  const { users, identities, keys, sessions, usage, requestLog, alerts, sharedResults, deletedAccounts, now } = deps
  return {
    identities: (userId: string) => identities.list(userId),
    /**
     * Removes an identity, except the last. Without an identity left, users could create many accounts, each with its
     * own limit.
     */
    removeIdentity: (userId: string, key: IdentityKey) => identities.remove(userId, key),

    /** Everything stored about the user, with field names in the style of the API. */
    async export(user: User): Promise<object> {
      const { id } = user
      const [userIdentities, removedIdentities, userKeys, userSessions, months, days, requests, webhook, sent, shared] =
        await Promise.all([
          identities.list(id),
          identities.listRemoved(id),
          keys.listOf(id, now()).then((list) => withUsage(list.keys, usage, monthOf(now()))),
          sessions.list(id, now()),
          usage.months(id),
          usage.days(id, null, FIRST_DAY),
          requestLog.list(id, null, MAX_LOGGED_OF_USER),
          alerts.findWebhook(id),
          alerts.list(id, MAX_EXPORTED_ALERTS),
          sharedResults.list(id, now()),
        ])
      return {
        exported_at: isoTime(now()),
        account: { ...userJson(user), name: user.name, logs_urls: user.logsUrls },
        identities: userIdentities.map((identity) => ({
          ...rowJson(identity, ['issuer', 'subject', 'account', 'email']),
          connected_at: isoTime(identity.createdAtMs),
        })),
        removed_identities: removedIdentities.map((identity) => rowJson(identity, ['issuer', 'subject'])),
        keys: userKeys.map(keyJson),
        sessions: userSessions.map((session) =>
          rowJson(session, ['id', 'userAgent', 'createdAtMs', 'lastSeenAtMs', 'expiresAtMs']),
        ),
        usage: { months, days: days.map((day) => rowJson(day, ['day', 'successes', 'failures', 'cacheHits'])) },
        usage_alerts: {
          webhook: webhook && rowJson(webhook, ['url', 'createdAtMs']),
          alerts: sent.map((alert) => {
            const { type, created_at, data } = alertMessage(alert)
            return { type, ...data, created_at, ...rowJson(alert, ['deliveredAtMs', 'error']) }
          }),
        },
        shared_results: shared.map((result) => rowJson(result, ['id', 'url', 'createdAtMs', 'expiresAtMs'])),
        requests: requests.map(requestJson),
      }
    },

    /** Deletes the user, whose keys stop working with the next request. */
    async remove(userId: string) {
      const user = await users.find(userId)
      if (user === null) return
      const owner = { userId, email: user.email, identities: await identities.list(userId) }
      // Kept first, so that nothing is lost if a later step fails.
      await deletedAccounts.keep(owner)
      await users.remove(userId)
      // Usage is deleted last: after the user is removed, no key works and nothing more is charged.
      await deletedAccounts.archive(owner)
    },
  }
}
