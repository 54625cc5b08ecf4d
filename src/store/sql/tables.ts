import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { OPERATOR_ACTIONS } from '../../core/audit-log.ts'
import { PLAN_NAMES } from '../../core/plan.ts'
import type { AlertThreshold } from '../../core/usage-alerts.ts'

/** An open database, or a transaction in it. */
export type Drizzle = BunSQLiteDatabase

// Times are Unix milliseconds; ids are UUIDs.

export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    email: text().notNull().unique(),
    plan: text({ enum: PLAN_NAMES }).notNull(),
    createdAtMs: integer('created_at').notNull(),
    name: text(),
    suspendedAtMs: integer('suspended_at'),
    logsUrls: integer('logs_urls', { mode: 'boolean' }).notNull().default(false),
  },
  (t) => [index('users_age').on(t.createdAtMs, t.id)],
)

/** An account at an identity provider; one user may have several. */
export const identities = sqliteTable(
  'identities',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: integer('created_at').notNull(),
    email: text().notNull(),
    account: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), index('identities_user').on(t.userId)],
)

/** Identities removed from a user. Others of the same issuer cannot join that user by email address. */
export const removedIdentities = sqliteTable(
  'removed_identities',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    issuer: text().notNull(),
    subject: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.issuer, t.subject] })],
)

/** Signed-in browsers. Only the SHA-256 of the cookie's token is stored. */
export const sessions = sqliteTable(
  'sessions',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: integer('created_at').notNull(),
    expiresAtMs: integer('expires_at').notNull(),
    id: text().notNull(),
    userAgent: text('user_agent').notNull(),
    lastSeenAtMs: integer('last_seen_at').notNull(),
  },
  (t) => [
    uniqueIndex('sessions_id').on(t.id),
    index('sessions_user').on(t.userId),
    index('sessions_expiry').on(t.expiresAtMs),
  ],
)

/** Sign-in attempts in progress and sign-in links. Each is redeemed once. */
export const tickets = sqliteTable(
  'tickets',
  {
    hash: text().primaryKey(),
    payload: text().notNull(),
    expiresAtMs: integer('expires_at').notNull(),
  },
  (t) => [index('tickets_expiry').on(t.expiresAtMs)],
)

/** Only the SHA-256 of a key is stored, and its last four characters for display. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: text().notNull().unique(),
    lastFour: text('last_four').notNull(),
    createdAtMs: integer('created_at').notNull(),
    deactivatedAtMs: integer('deactivated_at'),
    /** Null for a key that does not expire. */
    expiresAtMs: integer('expires_at'),
    /** JSON arrays of text; empty for no restriction. */
    allowedHosts: text('allowed_hosts', { mode: 'json' }).$type<readonly string[]>().notNull(),
    allowedAddresses: text('allowed_addresses', { mode: 'json' }).$type<readonly string[]>().notNull(),
    /** The id of the successor of a rotated key. No reference, because the successor may be deleted earlier. */
    replacedById: text('replaced_by'),
  },
  (t) => [
    index('api_keys_user').on(t.userId),
    index('api_keys_deactivated').on(t.deactivatedAtMs),
    index('api_keys_expiry').on(t.expiresAtMs),
  ],
)

/** The latest API requests of each user, numbered in the order in which they were written. */
export const requestLog = sqliteTable(
  'request_log',
  {
    id: integer().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    keyId: text('key_id').notNull(),
    requestId: text('request_id').notNull(),
    atMs: integer('at').notNull(),
    method: text().notNull(),
    status: integer().notNull(),
    reason: text().notNull(),
    cache: text({ enum: ['HIT', 'MISS'] }),
    latencyMs: integer('latency_ms').notNull(),
    host: text(),
    path: text(),
  },
  (t) => [
    index('request_log_user').on(t.userId, t.id),
    index('request_log_key').on(t.keyId, t.id),
    index('request_log_at').on(t.atMs),
  ],
)

/** Where the alerts of a user are sent. The secret is needed to sign them. */
export const alertWebhooks = sqliteTable('alert_webhooks', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  url: text().notNull(),
  secret: text().notNull(),
  createdAtMs: integer('created_at').notNull(),
})

/** Alerts about the usage of a month, at most one for each threshold, and their delivery. */
export const usageAlerts = sqliteTable(
  'usage_alerts',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    month: text().notNull(),
    threshold: integer().$type<AlertThreshold>().notNull(),
    used: integer().notNull(),
    limit: integer('quota').notNull(),
    createdAtMs: integer('created_at').notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAtMs: integer('next_attempt_at'),
    deliveredAtMs: integer('delivered_at'),
    error: text(),
  },
  (t) => [
    uniqueIndex('usage_alerts_once').on(t.userId, t.month, t.threshold),
    index('usage_alerts_due').on(t.nextAttemptAtMs),
    index('usage_alerts_age').on(t.createdAtMs),
  ],
)

/** Actions of operators. It has no foreign keys, because entries are kept after the account is deleted. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text().primaryKey(),
    atMs: integer('at').notNull(),
    actor: text(),
    action: text({ enum: OPERATOR_ACTIONS }).notNull(),
    userId: text('user_id'),
    email: text().notNull(),
    detail: text().notNull(),
  },
  (t) => [index('audit_log_at').on(t.atMs), index('audit_log_user').on(t.userId, t.atMs)],
)

/** One row that `/readyz` writes to check that the database is writable. */
export const probe = sqliteTable('probe', {
  id: integer().primaryKey(),
  atMs: integer('at').notNull(),
})
