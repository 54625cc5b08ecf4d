import { and, asc, desc, eq, gt, gte, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { ENDED, EXPIRING, type UsageAlert, type UsageAlerts } from '../../core/usage/alerts.ts'
import { type Dialect, firstRow, hasRows, run } from './dialect.ts'
import { type AccountTables, userPlanColumns } from './tables.ts'

export function sqlUsageAlerts(dialect: Dialect<AccountTables>): UsageAlerts {
  const { db, tables, atomically, isAmong, lockRows, sweep } = dialect
  const { alertWebhooks, apiKeys, usageAlerts, users } = tables
  const { id, userId, lastAttemptAtMs, nextAttemptAtMs, createdAtMs } = usageAlerts

  /** Keys of users with a webhook who are not suspended, without an alert of this kind, by ascending `time`. */
  async function unreported(isWanted: SQL | undefined, isReported: SQL | undefined, time: SQLiteColumn, limit: number) {
    const { rejectedRequests, firstRejectedAtMs } = apiKeys
    // The earlier end counts.
    const { deactivatedAtMs, expiresAtMs } = apiKeys
    const endsAtMs = sql`CASE WHEN ${deactivatedAtMs} < ${expiresAtMs} THEN ${deactivatedAtMs}
      ELSE coalesce(${expiresAtMs}, ${deactivatedAtMs}) END`
    const named = { userId: apiKeys.userId, id: apiKeys.id, name: apiKeys.name }
    return db
      .select({ ...named, expiresAtMs: endsAtMs.mapWith(Number), rejectedRequests, firstRejectedAtMs })
      .from(apiKeys)
      .innerJoin(alertWebhooks, eq(alertWebhooks.userId, apiKeys.userId))
      .innerJoin(users, eq(users.id, apiKeys.userId))
      .leftJoin(usageAlerts, and(eq(userId, apiKeys.userId), eq(usageAlerts.keyId, apiKeys.id), isReported))
      .where(and(isWanted, isNull(users.suspendedAtMs), isNull(id)))
      .orderBy(asc(time))
      .limit(limit)
  }

  return {
    findWebhook: (user) => firstRow(db.select().from(alertWebhooks).where(eq(alertWebhooks.userId, user))),

    async setWebhook(webhook) {
      const { url } = webhook
      await db.insert(alertWebhooks).values(webhook).onConflictDoUpdate({ target: alertWebhooks.userId, set: { url } })
    },

    removeWebhook(user) {
      return atomically(function* (tx) {
        const isPending = and(eq(userId, user), isNotNull(nextAttemptAtMs))
        yield* run(tx.update(usageAlerts).set({ nextAttemptAtMs: null }).where(isPending))
        return (yield* run(tx.delete(alertWebhooks).where(eq(alertWebhooks.userId, user)).returning())).length > 0
      })
    },

    async watchedUsers(afterUserId, limit) {
      return db
        .select({ userId: alertWebhooks.userId, ...userPlanColumns(users) })
        .from(alertWebhooks)
        .innerJoin(users, eq(users.id, alertWebhooks.userId))
        .where(and(gt(alertWebhooks.userId, afterUserId), isNull(users.suspendedAtMs)))
        .orderBy(asc(alertWebhooks.userId))
        .limit(limit)
    },

    expiringKeys(nowMs, untilMs, limit) {
      const { expiresAtMs, deactivatedAtMs, replacedById } = apiKeys
      const isExpiring = and(gt(expiresAtMs, nowMs), lte(expiresAtMs, untilMs))
      const isActive = and(isExpiring, isNull(deactivatedAtMs), isNull(replacedById))
      const isReported = and(eq(usageAlerts.threshold, EXPIRING), eq(usageAlerts.keyExpiresAtMs, expiresAtMs))
      return unreported(isActive, isReported, expiresAtMs, limit)
    },

    rejectedKeys(limit) {
      const { firstRejectedAtMs, lastRejectedAtMs } = apiKeys
      // `IS NOT NULL` selects the partial index.
      const isRejected = and(isNotNull(firstRejectedAtMs), gte(lastRejectedAtMs, alertWebhooks.createdAtMs))
      return unreported(isRejected, eq(usageAlerts.threshold, ENDED), firstRejectedAtMs, limit)
    },

    record({ key, ...alert }) {
      const keyColumns = key && { keyId: key.id, keyName: key.name, keyExpiresAtMs: key.expiresAtMs }
      const row = { ...alert, ...keyColumns, nextAttemptAtMs: alert.createdAtMs }
      return hasRows(db.insert(usageAlerts).values(row).onConflictDoNothing().returning({ id }))
    },

    takeDue(nowMs, leaseUntilMs, limit) {
      const { month, threshold, used, limit: quota, attempts, keyId, keyName, keyExpiresAtMs } = usageAlerts
      const alert = { id, userId, month, threshold, used, limit: quota, createdAtMs, attempts }
      const { url, secret } = alertWebhooks
      // `IS NOT NULL` selects the partial index.
      const isFirstOfUser = sql`NOT EXISTS (SELECT 1 FROM usage_alerts earlier WHERE earlier.user_id = ${userId}
        AND (earlier.next_attempt_at, earlier.id) < (${nextAttemptAtMs}, ${id}) AND earlier.next_attempt_at IS NOT NULL)`
      return atomically(function* (tx) {
        const select = tx
          .select({ ...alert, keyId, keyName, keyExpiresAtMs, url, secret })
          .from(usageAlerts)
          .innerJoin(alertWebhooks, eq(alertWebhooks.userId, userId))
          .innerJoin(users, eq(users.id, userId))
          .where(and(lte(nextAttemptAtMs, nowMs), isNull(users.suspendedAtMs), isFirstOfUser))
          .orderBy(asc(nextAttemptAtMs))
          .limit(limit)
        // Skips alerts that another process is taking.
        const due = yield* run(lockRows(select, usageAlerts, 'skipped'))
        if (due.length === 0) return []
        const ids = due.map((one) => one.id)
        const changes = { lastAttemptAtMs: nowMs, nextAttemptAtMs: leaseUntilMs, attempts: sql`${attempts} + 1` }
        yield* run(tx.update(usageAlerts).set(changes).where(isAmong(id, ids)))
        return due.map((one) => ({ ...withKey(one), attempts: one.attempts + 1 }))
      })
    },

    async resend(user, month, atMs, delayMs) {
      const isTooEarly = gt(lastAttemptAtMs, atMs - delayMs)
      const dueAtMs = sql`CASE WHEN ${isTooEarly} THEN ${lastAttemptAtMs} + ${delayMs} ELSE ${atMs} END`
      const isUndelivered = and(eq(userId, user), gte(usageAlerts.month, month), isNull(usageAlerts.deliveredAtMs))
      await db.update(usageAlerts).set({ nextAttemptAtMs: dueAtMs, attempts: 0, error: null }).where(isUndelivered)
    },

    async settle(attempt, outcome) {
      const isAlert = eq(id, attempt.id)
      if ('deliveredAtMs' in outcome) {
        const { deliveredAtMs } = outcome
        await db.update(usageAlerts).set({ deliveredAtMs, nextAttemptAtMs: null, error: null }).where(isAlert)
        return
      }
      const isCurrent = and(isAlert, eq(usageAlerts.attempts, attempt.attempts), isNotNull(nextAttemptAtMs))
      const { error, retryAtMs } = outcome
      await db.update(usageAlerts).set({ nextAttemptAtMs: retryAtMs, error }).where(isCurrent)
    },

    async list(user, limit) {
      const latestFirst = [desc(createdAtMs), desc(usageAlerts.month), desc(usageAlerts.threshold)]
      const ofUser = db.select().from(usageAlerts).where(eq(userId, user))
      return (await ofUser.orderBy(...latestFirst).limit(limit)).map(withKey)
    },

    sweep: (beforeMs) => sweep(usageAlerts, lt(createdAtMs, beforeMs)),
  }
}

/** Moves the columns of the key into `key`, which is null for an alert about usage. */
function withKey<Row extends { keyId: string; keyName: string; keyExpiresAtMs: number }>(row: Row) {
  const { keyId, keyName, keyExpiresAtMs, ...alert } = row
  const key: UsageAlert['key'] = keyId === '' ? null : { id: keyId, name: keyName, expiresAtMs: keyExpiresAtMs }
  return { ...alert, key }
}
