import { EXPIRES_SOON_MS } from '../../core/accounts/key-expiry.ts'
import { HOUR_MS } from '../../core/duration.ts'
import { monthOf } from '../../core/period.ts'
import { limitsOf } from '../../core/plan.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import type { System } from '../../core/system.ts'
import { ENDED, EXPIRING, reachedThresholds, type UnreportedKey, type UsageAlert } from '../../core/usage/alerts.ts'
import type { AccountStores } from '../stores.ts'

/** The users and keys of one step, which delays requests: recording an alert takes about a millisecond. */
const USERS_PER_STEP = 20
const KEYS_PER_STEP = 20

export interface AlertRecorderDeps extends Pick<AccountStores, 'alerts' | 'usage'>, Pick<System, 'now' | 'newId'> {
  settings: CurrentSettings<'plans'>
}

/**
 * Stores alerts for users who have reached a threshold of their limit, for keys that expire soon, and for requests with
 * keys that have ended. Stops between two steps when `stop` aborts.
 */
export function createAlertRecorder({ alerts, usage, settings, now, newId }: AlertRecorderDeps, stop: AbortSignal) {
  /** Alerts of `checkedMonth` that are known to be stored, so that they are not written again at each check. */
  const recorded = new Set<string>()
  /** The month of the last complete check. At the start, it is the previous month for an hour after its end. */
  let checkedMonth = monthOf(now() - HOUR_MS)

  const record = (alert: Omit<UsageAlert, 'id' | 'createdAtMs'>) =>
    alerts.record({ id: newId(), ...alert, createdAtMs: now() })

  async function recordReached() {
    const month = monthOf(now())
    if (month !== checkedMonth) {
      // A threshold may have been reached between that check and the end of its month.
      await recordReachedIn(checkedMonth)
      recorded.clear()
    }
    await recordReachedIn(month)
    checkedMonth = month
  }

  /** Records the alerts of all users whose usage of the month has reached a threshold. */
  async function recordReachedIn(month: string) {
    for (let after = ''; !stop.aborted;) {
      const users = await alerts.watchedUsers(after, USERS_PER_STEP)
      const userIds = users.map(({ userId }) => userId)
      const usedBy = await usage.used(userIds, month)
      for (const user of users) {
        const { userId } = user
        const { perMonth: limit } = limitsOf(settings(), user)
        const used = usedBy.get(userId) ?? 0
        for (const threshold of reachedThresholds(used, limit)) {
          const name = `${userId} ${threshold}`
          if (recorded.has(name)) continue
          await record({ userId, month, threshold, used, limit, key: null })
          recorded.add(name)
        }
      }
      if (users.length < USERS_PER_STEP) return
      after = users.at(-1)!.userId
      // Yields to requests.
      await Bun.sleep(0)
    }
  }

  /** Records an alert for each key that `find` returns, until it returns no more. */
  async function recordKeys(threshold: UsageAlert['threshold'], find: () => Promise<UnreportedKey[]>) {
    while (!stop.aborted) {
      const keys = await find()
      for (const { userId, rejectedRequests: used, firstRejectedAtMs, ...key } of keys) {
        await record({ userId, month: monthOf(firstRejectedAtMs ?? key.expiresAtMs), threshold, used, limit: 0, key })
      }
      if (keys.length < KEYS_PER_STEP) return
      await Bun.sleep(0)
    }
  }

  return {
    recordReached,
    recordExpiring: () =>
      recordKeys(EXPIRING, () => alerts.expiringKeys(now(), now() + EXPIRES_SOON_MS, KEYS_PER_STEP)),
    recordRejected: () => recordKeys(ENDED, () => alerts.rejectedKeys(KEYS_PER_STEP)),
  }
}
