import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'

import { OPERATOR_ACTIONS } from '../../core/audit-log.ts'
import { PLAN_NAMES } from '../../core/plan.ts'
import type { AlertThreshold } from '../../core/usage-alerts.ts'
import { amount, textArray, time } from './columns.ts'

/** An open database, or a transaction in it. */
export type Drizzle = PgDatabase<PgQueryResultHKT>

// The same tables as in src/store/sqlite/schema.ts, and those that only PostgreSQL needs. Ids are UUIDs.

export const users = pgTable(
  'users',
  {
    id: text().primaryKey(),
    email: text().notNull().unique(),
    plan: text({ enum: PLAN_NAMES }).notNull(),
    createdAtMs: time('created_at').notNull(),
    name: text(),
    /** The result of `searchTextOf`, because PostgreSQL folds case by its locale, which may only support ASCII. */
    searchText: text('search_text').notNull(),
    suspendedAtMs: time('suspended_at'),
    logsUrls: boolean('logs_urls').notNull().default(false),
  },
  (t) => [index('users_age').on(t.createdAtMs, t.id)],
)

/** An account at an identity provider; one user may have several. */
export const identities = pgTable(
  'identities',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: time('created_at').notNull(),
    email: text().notNull(),
    account: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), index('identities_user').on(t.userId)],
)

/** Identities removed from a user. Others of the same issuer cannot join that user by email address. */
export const removedIdentities = pgTable(
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
export const sessions = pgTable(
  'sessions',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: time('created_at').notNull(),
    expiresAtMs: time('expires_at').notNull(),
    id: text().notNull(),
    userAgent: text('user_agent').notNull(),
    lastSeenAtMs: time('last_seen_at').notNull(),
  },
  (t) => [
    uniqueIndex('sessions_id').on(t.id),
    index('sessions_user').on(t.userId),
    index('sessions_expiry').on(t.expiresAtMs),
  ],
)

/** Sign-in attempts in progress and sign-in links. Each is redeemed once. */
export const tickets = pgTable(
  'tickets',
  {
    hash: text().primaryKey(),
    payload: text().notNull(),
    expiresAtMs: time('expires_at').notNull(),
  },
  (t) => [index('tickets_expiry').on(t.expiresAtMs)],
)

/** Only the SHA-256 of a key is stored, and its last four characters for display. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: text().notNull().unique(),
    lastFour: text('last_four').notNull(),
    createdAtMs: time('created_at').notNull(),
    deactivatedAtMs: time('deactivated_at'),
    expiresAtMs: time('expires_at'),
    allowedHosts: textArray('allowed_hosts').notNull(),
    allowedAddresses: textArray('allowed_addresses').notNull(),
    replacedById: text('replaced_by'),
  },
  (t) => [
    index('api_keys_user').on(t.userId),
    index('api_keys_deactivated').on(t.deactivatedAtMs),
    index('api_keys_expiry').on(t.expiresAtMs),
  ],
)

/** The latest API requests of each user, numbered in the order in which they were written. */
export const requestLog = pgTable(
  'request_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    keyId: text('key_id').notNull(),
    requestId: text('request_id').notNull(),
    atMs: time('at').notNull(),
    method: text().notNull(),
    status: integer().notNull(),
    reason: text().notNull(),
    cache: text({ enum: ['HIT', 'MISS'] }),
    latencyMs: bigint('latency_ms', { mode: 'number' }).notNull(),
    host: text(),
    path: text(),
  },
  (t) => [index('request_log_user').on(t.userId, t.id), index('request_log_at').on(t.atMs)],
)

/** Where the alerts of a user are sent. The secret is needed to sign them. */
export const alertWebhooks = pgTable('alert_webhooks', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  url: text().notNull(),
  secret: text().notNull(),
  createdAtMs: time('created_at').notNull(),
})

/** Alerts about the usage of a month, at most one for each threshold, and their delivery. */
export const usageAlerts = pgTable(
  'usage_alerts',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    month: text().notNull(),
    threshold: integer().$type<AlertThreshold>().notNull(),
    used: amount('used').notNull(),
    limit: amount('quota').notNull(),
    createdAtMs: time('created_at').notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAtMs: time('next_attempt_at'),
    deliveredAtMs: time('delivered_at'),
    error: text(),
  },
  (t) => [
    uniqueIndex('usage_alerts_once').on(t.userId, t.month, t.threshold),
    index('usage_alerts_due').on(t.nextAttemptAtMs),
    index('usage_alerts_age').on(t.createdAtMs),
  ],
)

/** Actions of operators. It has no foreign keys, because entries are kept after the account is deleted. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: text().primaryKey(),
    atMs: time('at').notNull(),
    actor: text(),
    action: text({ enum: OPERATOR_ACTIONS }).notNull(),
    userId: text('user_id'),
    email: text().notNull(),
    detail: text().notNull(),
  },
  (t) => [index('audit_log_at').on(t.atMs), index('audit_log_user').on(t.userId, t.atMs)],
)

/** One row that `/readyz` writes to check that the database is writable. */
export const probe = pgTable('probe', {
  id: integer().primaryKey(),
  atMs: time('at').notNull(),
})

/** The progress of `urlmeta move` into this database, one row per table. Kept after the move is complete. */
export const movedTables = pgTable('moved_tables', {
  tableName: text('table_name').primaryKey(),
  /** The same in every row and in the record of the move in the data directory. */
  moveId: text('move_id').notNull(),
  /** Rows copied so far. */
  rows: bigint({ mode: 'number' }).notNull(),
  /** The primary key of the last copied row, as a JSON array; null before the first. */
  lastKey: text('last_key'),
  /** Null until all tables are verified; a server refuses to start before that. */
  checksum: text(),
})

/** Finished responses by normalized URL. */
export const results = pgTable(
  'results',
  {
    /** The SHA-256 of the URL in lower-case hex, because a URL can exceed the size limit of an index entry. */
    keyHash: text('key_hash').primaryKey(),
    json: text().notNull(),
    details: text(),
    storedAtMs: time('stored_at').notNull(),
  },
  (t) => [index('results_age').on(t.storedAtMs)],
)

/** Hosts whose last pages needed a browser. */
export const renderedHosts = pgTable(
  'rendered_hosts',
  { host: text().primaryKey(), confirmedAtMs: time('confirmed_at').notNull() },
  (t) => [index('rendered_hosts_age').on(t.confirmedAtMs)],
)
