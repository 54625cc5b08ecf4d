import type { PgTable } from 'drizzle-orm/pg-core'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { hashApiKey } from '../../src/core/accounts/api-key.ts'
import { PLAYGROUND_KEY_ID } from '../../src/core/usage/ports.ts'
import type { tables as postgresTables } from '../../src/store/postgres/schema.ts'
import type * as postgresUsageSchema from '../../src/store/postgres/usage-schema.ts'
import type { tables as sqliteTables } from '../../src/store/sqlite/schema.ts'
import type * as sqliteUsageSchema from '../../src/store/sqlite/usage-schema.ts'
import { NO_OWN_LIMITS } from '../own-limits.ts'

type TablesOf<Schema, Table> = { [Name in keyof Schema as Schema[Name] extends Table ? Name : never]: Schema[Name] }
type SqliteTables = TablesOf<typeof sqliteTables & typeof sqliteUsageSchema, SQLiteTable>
type PostgresTables = TablesOf<typeof postgresTables & typeof postgresUsageSchema, PgTable | SQLiteTable>

/**
 * At least one row per table. `$inferSelect` includes every column, so a new table or column does not compile until it has a
 * value here.
 */
type RowsOf<Tables extends Record<keyof Tables, { $inferSelect: object }>> = {
  [Name in keyof Tables]: readonly [Tables[Name]['$inferSelect'], ...Tables[Name]['$inferSelect'][]]
}

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 86_400_000

/** The key of the user who has an active key. */
export const SAMPLE_KEY = `urlmeta_live_${'5'.repeat(32)}`
/** The user of the key, with the number of requests used in `SAMPLE_MONTH`. */
export const SAMPLE_USER = { id: 'user-1', email: 'jo@example.com', used: 41 }
export const SAMPLE_MONTH = '2026-11'

/** Rows of the tables that both databases have, each table after the tables that it references. */
export const SAMPLE_ROWS: RowsOf<SqliteTables> = {
  users: [
    {
      id: SAMPLE_USER.id,
      email: SAMPLE_USER.email,
      plan: 'starter',
      createdAtMs: NOON_MS,
      name: "Jo O'Neil, ключ",
      searchText: "jo@example.com\njo o'neil, ключ",
      suspendedAtMs: null,
      logsUrls: true,
      perMinute: 5_000,
      perMonth: null,
      maxKeys: 0,
    },
    {
      id: 'user-2',
      email: 'ann@example.com',
      plan: 'free',
      createdAtMs: NOON_MS + 1,
      name: null,
      searchText: 'ann@example.com\n',
      suspendedAtMs: NOON_MS + DAY_MS,
      logsUrls: false,
      ...NO_OWN_LIMITS,
    },
  ],
  identities: [
    {
      issuer: 'https://github.com',
      subject: '583231',
      userId: SAMPLE_USER.id,
      createdAtMs: NOON_MS,
      email: SAMPLE_USER.email,
      account: 'jo',
    },
  ],
  removedIdentities: [{ userId: SAMPLE_USER.id, issuer: 'https://accounts.google.com', subject: '42' }],
  sessions: [
    {
      tokenHash: 'a'.repeat(64),
      userId: SAMPLE_USER.id,
      createdAtMs: NOON_MS,
      expiresAtMs: NOON_MS + 30 * DAY_MS,
      id: 'session-1',
      userAgent: 'Mozilla/5.0',
      lastSeenAtMs: NOON_MS,
    },
  ],
  tickets: [
    { hash: 'b'.repeat(64), payload: '{"email":"jo@example.com"}', expiresAtMs: NOON_MS, invitedBy: null },
    { hash: 'd'.repeat(64), payload: 'new@example.com', expiresAtMs: NOON_MS, invitedBy: 'op@example.com' },
  ],
  sharedResults: [
    {
      tokenHash: 'f'.repeat(64),
      id: 'shared-1',
      userId: SAMPLE_USER.id,
      url: 'https://example.com/',
      json: '{"title":"A page"}',
      createdAtMs: NOON_MS,
      expiresAtMs: NOON_MS + 7 * DAY_MS,
    },
  ],
  apiKeys: [
    {
      id: 'key-1',
      userId: SAMPLE_USER.id,
      name: 'production',
      hash: hashApiKey(SAMPLE_KEY),
      lastFour: SAMPLE_KEY.slice(-4),
      createdAtMs: NOON_MS,
      deactivatedAtMs: null,
      expiresAtMs: null,
      allowedHosts: ['example.com', '*.example.org'],
      allowedAddresses: ['192.0.2.0/24'],
      allowedOrigins: ['https://app.example'],
      replacedById: null,
      deletedAtMs: null,
      rejectedRequests: 0,
      firstRejectedAtMs: null,
      lastRejectedAtMs: null,
    },
    {
      id: 'key-2',
      userId: SAMPLE_USER.id,
      name: '',
      hash: 'c'.repeat(64),
      lastFour: 'cccc',
      createdAtMs: NOON_MS,
      deactivatedAtMs: NOON_MS + 1,
      expiresAtMs: NOON_MS + DAY_MS,
      allowedHosts: [],
      allowedAddresses: [],
      allowedOrigins: [],
      replacedById: 'key-1',
      deletedAtMs: NOON_MS + 2,
      rejectedRequests: 3,
      firstRejectedAtMs: NOON_MS + 3,
      lastRejectedAtMs: NOON_MS + 4,
    },
  ],
  keyOrigins: [{ origin: 'https://app.example', keyId: 'key-1' }],
  requestLog: [
    {
      id: 7,
      userId: SAMPLE_USER.id,
      keyId: 'key-1',
      requestId: 'request-1',
      atMs: NOON_MS,
      method: 'GET',
      format: 'microlink',
      status: 200,
      reason: 'ok',
      cache: 'HIT',
      latencyMs: 3,
      host: 'example.com',
      path: '/a?b',
      details: '{"redirects":0,"phases":{"dns":1}}',
    },
  ],
  alertWebhooks: [
    { userId: SAMPLE_USER.id, url: 'https://hooks.example.com/', secret: 'd'.repeat(64), createdAtMs: NOON_MS },
  ],
  usageAlerts: [
    {
      id: 'alert-1',
      userId: SAMPLE_USER.id,
      month: SAMPLE_MONTH,
      threshold: 80,
      used: 8_000,
      limit: 10_000,
      createdAtMs: NOON_MS,
      attempts: 1,
      lastAttemptAtMs: NOON_MS,
      nextAttemptAtMs: NOON_MS + 60_000,
      deliveredAtMs: null,
      error: 'HTTP 500',
      keyId: '',
      keyName: '',
      keyExpiresAtMs: 0,
    },
    {
      id: 'alert-2',
      userId: SAMPLE_USER.id,
      month: SAMPLE_MONTH,
      threshold: 0,
      used: 0,
      limit: 0,
      createdAtMs: NOON_MS,
      attempts: 1,
      lastAttemptAtMs: NOON_MS,
      nextAttemptAtMs: null,
      deliveredAtMs: NOON_MS,
      error: null,
      keyId: 'key-1',
      keyName: 'ключ',
      keyExpiresAtMs: NOON_MS + DAY_MS,
    },
  ],
  auditLog: [
    {
      id: 'entry-1',
      atMs: NOON_MS,
      actor: null,
      action: 'key_created',
      userId: SAMPLE_USER.id,
      email: SAMPLE_USER.email,
      detail: 'production',
    },
  ],
  probe: [{ id: 1, atMs: NOON_MS }],
  monthlyUsage: [{ userId: SAMPLE_USER.id, month: SAMPLE_MONTH, used: SAMPLE_USER.used }],
  dailyUsage: [
    {
      userId: SAMPLE_USER.id,
      keyId: 'key-1',
      day: '2026-11-20',
      successes: 40,
      cacheHits: 8,
      failures: 3,
      lastUsedAtMs: NOON_MS,
    },
    {
      userId: SAMPLE_USER.id,
      keyId: PLAYGROUND_KEY_ID,
      day: '2026-11-20',
      successes: 1,
      cacheHits: 0,
      failures: 0,
      lastUsedAtMs: NOON_MS,
    },
  ],
  deletedAccountUsage: [{ personHash: 'e'.repeat(64), month: SAMPLE_MONTH, used: 12 }],
}

/** Rows of the tables that only PostgreSQL has. */
export const POSTGRES_SAMPLE_ROWS: RowsOf<Omit<PostgresTables, keyof SqliteTables>> = {
  results: [{ keyHash: 'f'.repeat(64), json: '{"title":"A page"}', details: null, storedAtMs: NOON_MS }],
  renderedHosts: [{ host: 'app.example', confirmedAtMs: NOON_MS }],
  meteringProcesses: [{ id: 'process-1', batch: 5, effect: null, leasedUntil: new Date(NOON_MS) }],
  usageReservations: [{ processId: 'process-1', userId: SAMPLE_USER.id, month: SAMPLE_MONTH, open: 1 }],
}
