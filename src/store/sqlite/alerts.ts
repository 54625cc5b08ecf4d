import { and, asc, desc, eq, getTableColumns, gt, inArray, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm'

import type { UsageAlerts } from '../../core/usage-alerts.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import { alertWebhooks, usageAlerts, users, type Drizzle } from '../sql/tables.ts'

export function sqliteUsageAlerts(db: Drizzle): UsageAlerts {
  const { id, userId, nextAttemptAtMs, createdAtMs } = usageAlerts

  return {
    async findWebhook(user) {
      return db.select().from(alertWebhooks).where(eq(alertWebhooks.userId, user)).get() ?? null
    },

    async setWebhook(webhook) {
      const { url } = webhook
      db.insert(alertWebhooks).values(webhook).onConflictDoUpdate({ target: alertWebhooks.userId, set: { url } }).run()
    },

    async removeWebhook(user) {
      return db.transaction(
        (tx) => {
          const isPending = and(eq(userId, user), isNotNull(nextAttemptAtMs))
          tx.update(usageAlerts).set({ nextAttemptAtMs: null }).where(isPending).run()
          return tx.delete(alertWebhooks).where(eq(alertWebhooks.userId, user)).returning().all().length > 0
        },
        { behavior: 'immediate' },
      )
    },

    async watchedUsers(afterUserId, limit) {
      return db
        .select({ userId: alertWebhooks.userId, plan: users.plan })
        .from(alertWebhooks)
        .innerJoin(users, eq(users.id, alertWebhooks.userId))
        .where(and(gt(alertWebhooks.userId, afterUserId), isNull(users.suspendedAtMs)))
        .orderBy(asc(alertWebhooks.userId))
        .limit(limit)
        .all()
    },

    async record(alert) {
      const stored = db
        .insert(usageAlerts)
        .values({ ...alert, nextAttemptAtMs: alert.createdAtMs })
        .onConflictDoNothing({ target: [userId, usageAlerts.month, usageAlerts.threshold] })
        .returning({ id })
        .all()
      return stored.length > 0
    },

    async takeDue(nowMs, leaseUntilMs, limit) {
      const { nextAttemptAtMs: _, deliveredAtMs: _delivered, error: _error, ...alert } = getTableColumns(usageAlerts)
      const { url, secret } = alertWebhooks
      return db.transaction(
        (tx) => {
          const due = tx
            .select({ ...alert, url, secret })
            .from(usageAlerts)
            .innerJoin(alertWebhooks, eq(alertWebhooks.userId, userId))
            .where(lte(nextAttemptAtMs, nowMs))
            .orderBy(asc(nextAttemptAtMs))
            .limit(limit)
            .all()
          for (const { id: dueId } of due) {
            tx.update(usageAlerts)
              .set({ nextAttemptAtMs: leaseUntilMs, attempts: sql`${usageAlerts.attempts} + 1` })
              .where(eq(id, dueId))
              .run()
          }
          return due.map((one) => ({ ...one, attempts: one.attempts + 1 }))
        },
        { behavior: 'immediate' },
      )
    },

    async resend(user, month, atMs) {
      const isUndelivered = and(eq(userId, user), eq(usageAlerts.month, month), isNull(usageAlerts.deliveredAtMs))
      db.update(usageAlerts).set({ nextAttemptAtMs: atMs, attempts: 0, error: null }).where(isUndelivered).run()
    },

    async settle(alertId, outcome) {
      const changes =
        'deliveredAtMs' in outcome
          ? { deliveredAtMs: outcome.deliveredAtMs, nextAttemptAtMs: null, error: null }
          : { nextAttemptAtMs: outcome.retryAtMs, error: outcome.error }
      db.update(usageAlerts).set(changes).where(eq(id, alertId)).run()
    },

    async list(user, limit) {
      return db
        .select()
        .from(usageAlerts)
        .where(eq(userId, user))
        .orderBy(desc(usageAlerts.month), desc(usageAlerts.threshold))
        .limit(limit)
        .all()
    },

    async sweep(beforeMs) {
      const old = db.select({ id }).from(usageAlerts).where(lt(createdAtMs, beforeMs)).limit(STEP_ROWS)
      return inSteps(() => db.delete(usageAlerts).where(inArray(id, old)).returning({ id }).all().length)
    },
  }
}
