import { sql } from 'drizzle-orm'

import { OPERATOR_ACTIONS } from '../../core/accounts/audit-log.ts'
import { PLAN_NAMES } from '../../core/plan.ts'
import type { AlertThreshold } from '../../core/usage/alerts.ts'
import type { Columns } from '../sqlite/columns.ts'

export type AccountTables = ReturnType<typeof accountTables>

/** All tables except usage and the cache, each after the tables that it references. Ids are UUIDs. */
export function accountTables(columns: Columns) {
  const { table, text, int, bool, json, time, sequence, primaryKey, index, uniqueIndex } = columns

  const users = table(
    'users',
    {
      id: text().primaryKey(),
      email: text().notNull().unique(),
      plan: text({ enum: PLAN_NAMES }).notNull(),
      /** The user's own limits; null for those of the plan. */
      perMinute: int('per_minute'),
      perMonth: int('per_month'),
      maxKeys: int('max_keys'),
      createdAtMs: time('created_at').notNull(),
      name: text(),
      /** The result of `searchTextOf`. The databases fold only the case of ASCII letters, or fold by their locale. */
      searchText: text('search_text').notNull(),
      suspendedAtMs: time('suspended_at'),
      logsUrls: bool('logs_urls').notNull().default(false),
    },
    (t) => [index('users_age').on(t.createdAtMs, t.id)],
  )

  /** Rows are deleted with their user. */
  const ofUser = () =>
    text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' })

  /** Only the SHA-256 of a key is stored, and its last four characters for display. */
  const apiKeys = table(
    'api_keys',
    {
      id: text().primaryKey(),
      userId: ofUser(),
      name: text().notNull(),
      hash: text().notNull().unique(),
      lastFour: text('last_four').notNull(),
      createdAtMs: time('created_at').notNull(),
      deactivatedAtMs: time('deactivated_at'),
      /** Null for a key that does not expire. */
      expiresAtMs: time('expires_at'),
      /** JSON arrays of text; empty for no restriction. */
      allowedHosts: json('allowed_hosts').notNull(),
      allowedAddresses: json('allowed_addresses').notNull(),
      allowedOrigins: json('allowed_origins')
        .notNull()
        .default(sql`'[]'`),
      /** The id of the successor of a rotated key. Not a foreign key, because the successor may be deleted earlier. */
      replacedById: text('replaced_by'),
      deletedAtMs: time('deleted_at'),
      rejectedRequests: int('rejected_requests').notNull().default(0),
      firstRejectedAtMs: time('first_rejected_at'),
      lastRejectedAtMs: time('last_rejected_at'),
    },
    (t) => [
      index('api_keys_user').on(t.userId),
      // Excludes active keys. Otherwise SQLite would search all of them for `deactivated_at is null` instead of using
      // another index.
      index('api_keys_deactivated')
        .on(t.deactivatedAtMs)
        .where(sql`${t.deactivatedAtMs} is not null`),
      index('api_keys_expiry').on(t.expiresAtMs),
      index('api_keys_rejected')
        .on(t.firstRejectedAtMs)
        .where(sql`${t.firstRejectedAtMs} is not null`),
    ],
  )

  return {
    users,

    /** An account at an identity provider; one user may have several. */
    identities: table(
      'identities',
      {
        issuer: text().notNull(),
        subject: text().notNull(),
        userId: ofUser(),
        createdAtMs: time('created_at').notNull(),
        email: text().notNull(),
        account: text().notNull(),
      },
      (t) => [primaryKey({ columns: [t.issuer, t.subject] }), index('identities_user').on(t.userId)],
    ),

    /** Identities removed from a user. Other identities of the same issuer cannot join that user by email address. */
    removedIdentities: table(
      'removed_identities',
      { userId: ofUser(), issuer: text().notNull(), subject: text().notNull() },
      (t) => [primaryKey({ columns: [t.userId, t.issuer, t.subject] })],
    ),

    /** Only the SHA-256 of the cookie's token is stored. */
    sessions: table(
      'sessions',
      {
        tokenHash: text('token_hash').primaryKey(),
        userId: ofUser(),
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
    ),

    /** Sign-in attempts in progress, sign-in links and invitations. Each ticket is redeemed once. */
    tickets: table(
      'tickets',
      {
        hash: text().primaryKey(),
        payload: text().notNull(),
        expiresAtMs: time('expires_at').notNull(),
        /** The email of the operator who created the invitation; null for other tickets. */
        invitedBy: text('invited_by'),
      },
      (t) => [index('tickets_expiry').on(t.expiresAtMs), index('tickets_invitations').on(t.invitedBy)],
    ),

    /** Results of the playground that have a link. Only the SHA-256 of the link's token is stored. */
    sharedResults: table(
      'shared_results',
      {
        tokenHash: text('token_hash').primaryKey(),
        id: text().notNull().unique(),
        userId: ofUser(),
        url: text().notNull(),
        json: text().notNull(),
        createdAtMs: time('created_at').notNull(),
        expiresAtMs: time('expires_at').notNull(),
      },
      (t) => [index('shared_results_user').on(t.userId), index('shared_results_expiry').on(t.expiresAtMs)],
    ),

    apiKeys,

    /** Repeats the `allowedOrigins` of all keys as rows, to look up whether any key allows an origin. */
    keyOrigins: table(
      'key_origins',
      {
        origin: text().notNull(),
        keyId: text('key_id')
          .notNull()
          .references(() => apiKeys.id, { onDelete: 'cascade' }),
      },
      (t) => [primaryKey({ columns: [t.origin, t.keyId] }), index('key_origins_key').on(t.keyId)],
    ),

    /** The latest API requests of each user, numbered in the order in which they were written. */
    requestLog: table(
      'request_log',
      {
        id: sequence(),
        userId: ofUser(),
        keyId: text('key_id').notNull(),
        requestId: text('request_id').notNull(),
        atMs: time('at').notNull(),
        method: text().notNull(),
        format: text(),
        status: int().notNull(),
        reason: text().notNull(),
        cache: text({ enum: ['HIT', 'MISS'] }),
        latencyMs: int('latency_ms').notNull(),
        host: text(),
        path: text(),
        details: text(),
      },
      (t) => [
        index('request_log_user').on(t.userId, t.id),
        index('request_log_key').on(t.keyId, t.id),
        index('request_log_at').on(t.atMs),
        index('request_log_request').on(t.requestId),
      ],
    ),

    /** Where the alerts of a user are sent. The secret signs the alerts. */
    alertWebhooks: table('alert_webhooks', {
      userId: ofUser().primaryKey(),
      url: text().notNull(),
      secret: text().notNull(),
      createdAtMs: time('created_at').notNull(),
    }),

    /**
     * Alerts and their delivery. At most one alert for each threshold of a month, and one before and one after each end
     * of a key.
     */
    usageAlerts: table(
      'usage_alerts',
      {
        id: text().primaryKey(),
        userId: ofUser(),
        month: text().notNull(),
        threshold: int().$type<AlertThreshold | 0>().notNull(),
        used: int().notNull(),
        limit: int('quota').notNull(),
        createdAtMs: time('created_at').notNull(),
        attempts: int().notNull().default(0),
        lastAttemptAtMs: time('last_attempt_at'),
        nextAttemptAtMs: time('next_attempt_at'),
        deliveredAtMs: time('delivered_at'),
        error: text(),
        /**
         * The key that the alert is about; '' and 0 for an alert about usage. Not null, because a unique index treats
         * nulls as different.
         */
        keyId: text('key_id').notNull().default(''),
        keyName: text('key_name').notNull().default(''),
        keyExpiresAtMs: time('key_expires_at').notNull().default(0),
      },
      (t) => [
        uniqueIndex('usage_alerts_once').on(t.userId, t.month, t.threshold, t.keyId, t.keyExpiresAtMs),
        index('usage_alerts_due').on(t.nextAttemptAtMs),
        index('usage_alerts_pending')
          .on(t.userId, t.nextAttemptAtMs, t.id)
          .where(sql`${t.nextAttemptAtMs} is not null`),
        index('usage_alerts_age').on(t.createdAtMs),
      ],
    ),

    /** Actions of operators. The table has no foreign keys, because entries are kept after the account is deleted. */
    auditLog: table(
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
    ),

    /** One row that `/readyz` writes to check that the database is writable. */
    probe: table('probe', { id: int().primaryKey(), atMs: time('at').notNull() }),
  }
}

/** The columns of a `UserPlan`. */
export function userPlanColumns({ plan, perMinute, perMonth, maxKeys }: AccountTables['users']) {
  return { plan, perMinute, perMonth, maxKeys }
}
