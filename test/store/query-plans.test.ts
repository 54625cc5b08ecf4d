import { Database } from 'bun:sqlite'
import { afterAll, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import { CREATE_CACHE } from '../../src/store/sqlite/cache-schema.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { loggedRequest } from '../logged-request.ts'
import { everybody } from './accounts-contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-plans-'))
afterAll(() => rmSync(folder, { recursive: true }))

const MONTH = '2026-11'
const user = { id: 'u1', email: 'jo@example.com', plan: 'free' as const, createdAtMs: 1 }
const claim = {
  issuer: 'https://github.com/login/oauth',
  subject: '1',
  verifiedEmail: user.email,
  account: 'jo',
  name: 'Jo',
} as const
const session = { id: 's1', userId: 'u1', userAgent: '', createdAtMs: 1, lastSeenAtMs: 1, expiresAtMs: 9 }
const key = {
  id: 'k1',
  userId: 'u1',
  name: 'k',
  hash: 'h',
  lastFour: '0000',
  createdAtMs: 1,
  ...UNRESTRICTED,
}
const unit = { userId: 'u1', keyId: 'k1', month: MONTH }

/** Calls each method at least once for every different statement. */
async function callAllMethods(stores: ReturnType<typeof openSqlite>) {
  const { users, identities, sessions, tickets, sharedResults, audit, keys, usage, requestLog, alerts } = stores
  const { results, renderedHosts } = stores
  await users.ensure(user)
  await users.find('u1')
  await users.findByEmail(user.email)
  await users.list()
  await users.search(everybody)
  await users.search({ ...everybody, text: 'jo' })
  await users.matching(everybody)
  await users.listed(['u1'], 1)
  await users.setPlan(user.email, { plan: 'growth' })
  await identities.signIn(claim, { id: 'u2', plan: 'free', createdAtMs: 1 })
  await identities.list('u1')
  await sessions.open({ ...session, tokenHash: 'a' }, 'b')
  await sessions.find('a', 2)
  await sessions.touch('s1', { lastSeenAtMs: 2, expiresAtMs: 9 })
  await sessions.list('u1', 2)
  await sessions.revoke('u1', 's2')
  await sessions.revokeOthers('u1', 's1')
  await sessions.sweep(2)
  await tickets.issue({ hash: 'a', payload: '', expiresAtMs: 9 })
  await tickets.peek('a', 2)
  await tickets.redeem('a', 2)
  await tickets.listInvitations({ offset: 0, limit: 10, nowMs: 1 })
  await tickets.revokeInvitations('jo@example.com')
  await tickets.sweep(2)
  const shared = { id: 'r', userId: 'u1', url: 'https://a.example/', createdAtMs: 1, expiresAtMs: 9 }
  await sharedResults.share({ ...shared, tokenHash: 'a', json: '{}' }, 1)
  await sharedResults.find('a', 2)
  await sharedResults.list('u1', 2)
  await sharedResults.stop('u1', 'x')
  await sharedResults.sweep(2)
  const entry = { atMs: 1, actor: null, action: 'suspended', userId: 'u1', email: user.email, detail: '' } as const
  await tickets.issue({ hash: 'b', payload: '', expiresAtMs: 9, invitedBy: 'a' }, () => ({ id: 'a', ...entry }))
  await audit.record({ id: 'b', ...entry })
  await audit.list({ offset: 0, limit: 10 })
  await audit.list({ userId: 'u1', offset: 0, limit: 10 })
  await keys.create(key, 9, [{ max: 9, sinceMs: 0 }])
  await keys.update('u1', 'k1', { name: 'l' }, 1)
  await keys.update('u1', 'k1', { allowedOrigins: ['https://a.example'] }, 1)
  await keys.isOriginAllowed('https://a.example', 1)
  await keys.rotate('k1', { ...key, id: 'k2', hash: 'i' }, 9, [{ max: 9, sinceMs: 0 }])
  await keys.find('k1')
  await keys.findOf('u1', 'k1')
  await keys.findOwner('h')
  await keys.list()
  await keys.listOf('u1', 1)
  await keys.listOf('u1', 1, { offset: 0, limit: 10 })
  await keys.listRejected('u1', { sinceMs: 1, replacedSinceMs: 1, limit: 3 })
  const rejected = [{ keyId: 'k1', userId: 'u1', count: 1, firstAtMs: 1, lastAtMs: 1 }]
  await usage.addFailures(await keys.countRejected(rejected))
  // Deletes an ended key, because there are too many.
  await keys.rotate('k2', { ...key, id: 'k3', hash: 'j' }, 1, [{ max: 1, sinceMs: 0 }])
  await keys.sweep(1)
  await usage.apply({ requests: [{ unit, limit: 9, chargedAtMs: null }], settlements: [] })
  await usage.apply({
    requests: [{ unit, limit: 1, chargedAtMs: 1 }],
    settlements: [{ unit, outcome: 'failed', atMs: 1 }],
  })
  await usage.apply({ requests: [{ unit, limit: 0, chargedAtMs: 1 }], settlements: [] })
  await usage.used(['u1'], MONTH)
  await usage.keysOf(['u1'], MONTH)
  await usage.months('u1')
  await usage.days('u1', null, '2026-11-01')
  await usage.days('u1', 'k1', '2026-11-01')
  await usage.total('2026-11-01')
  await usage.keep('u1', ['a'], MONTH)
  await usage.archive('u1', ['a'], MONTH)
  await usage.restore('u1', ['a', 'b'], MONTH)
  await usage.sweep(MONTH)
  await alerts.setWebhook({ userId: 'u1', url: 'https://a.example/', secret: 's', createdAtMs: 1 })
  await alerts.findWebhook('u1')
  await alerts.watchedUsers('', 10)
  await alerts.expiringKeys(1, 2, 10)
  await alerts.rejectedKeys(10)
  const alert = { id: 'a1', userId: 'u1', month: MONTH, threshold: 80, used: 8, limit: 10, createdAtMs: 1 } as const
  await alerts.record({ ...alert, key: null })
  await alerts.takeDue(1, 2, 10)
  await alerts.settle({ id: 'a1', attempts: 1 }, { deliveredAtMs: 1 })
  await alerts.settle({ id: 'a1', attempts: 1 }, { error: 'e', retryAtMs: 1 })
  await alerts.resend('u1', MONTH, 1, 1)
  await alerts.list('u1', 10)
  await alerts.sweep(2)
  await alerts.removeWebhook('u1')
  await users.setLogsUrls('u1', true)
  await requestLog.append([loggedRequest(), loggedRequest()])
  await requestLog.trim('keyId', ['k1'], 1)
  await requestLog.trim('userId', ['u1'], 1)
  await requestLog.list('u1', null, 10)
  await requestLog.list('u1', 'k1', 10)
  await requestLog.list('u1', null, 10, [1, 2])
  await requestLog.find('u1', 'r1')
  await requestLog.find(null, 'r1')
  await requestLog.newest(null, 10)
  await requestLog.newest('k1', 10)
  await requestLog.hours('u1', null, 1)
  await requestLog.eraseUrls('u1')
  await requestLog.sweep(1)
  for (const url of ['a', 'b', 'c']) await results.put(url, { json: '{}', storedAtMs: 1 })
  await results.get('a')
  await results.count()
  await results.variantsOf('a')
  await results.deletePage('a', true)
  await results.deletedPages()
  await results.sweep(5, 9)
  await renderedHosts.put({ host: 'a.test', confirmedAtMs: 1 })
  await renderedHosts.list()
  await renderedHosts.delete('a.test')
  await renderedHosts.sweep(5, 9)
  await keys.deactivate('u1', 'k1', 1)
  await users.suspend('u1', 1)
  await users.resume('u1')
  await users.remove('u1')
  await stores.ping()
}

/** Statements that may read a whole table. */
const WHOLE_TABLES = [
  // `urlmeta user list` and `key list`.
  /from "users" order by "users"."created_at" asc/,
  /from "api_keys" inner join "users" on .* order by "api_keys"."created_at" asc/,
  // Searches by part of an address or name count the matches up to a maximum, and read all of them to sort them by usage.
  /^select count\(\*\) from \(select "id" from "users" where instr\(.* limit \?\)/,
  /^select "id" from "users" (where instr\(.*)?order by/,
  // It has the deletions of the last second.
  /^(SELECT 1|DELETE) FROM deleted_pages/,
  // Totals of lists.
  /^select count\(\*\) (AS count )?from "?\w+"?$/i,
  // The schema at the start, and the first row of each table by `/readyz`.
  /^SELECT (type, name, sql FROM sqlite_schema|\* FROM \w+ LIMIT 1)$/,
]

/** Scans that are allowed: of an index up to a LIMIT, of the newest rows of the request log, of the list of parameters, of a limited subquery, and without a table. */
function isBounded(detail: string, statement: string): boolean {
  if (/^SCAN \w+ USING (?:COVERING )?INDEX/.test(detail)) return / limit \?/i.test(statement)
  if (detail === 'SCAN request_log') return statement.endsWith(' order by "request_log"."id" desc limit ?')
  return /^SCAN (?:json_each|CONSTANT ROW|counted$)/.test(detail)
}

/** Searches an index for null, which most rows have in these columns. Statements compare them for equality only with null. */
const isSearchForNull = (detail: string) => /\((?:deactivated_at|expires_at|next_attempt_at)=\?/.test(detail)

test('no other statement scans a table, or an index for null, and each index is used', async () => {
  const path = join(folder, 'plans.db')
  const statements = new Set<string>()
  const spies = [spyOn(Database.prototype, 'prepare'), spyOn(Database.prototype, 'query')]
  {
    using stores = openSqlite(path, { maxResults: 2 })
    await callAllMethods(stores)
  }
  for (const spy of spies) {
    for (const [text] of spy.mock.calls) statements.add(text.trim())
    spy.mockRestore()
  }

  using database = new Database(path)
  // The cache is in a separate file.
  for (const statement of CREATE_CACHE) database.run(statement)
  const scans: string[] = []
  const details = new Set<string>()
  for (const statement of statements) {
    if (!/^(select|insert|update|delete|with)\b/i.test(statement) || statement.includes('__drizzle')) continue
    if (WHOLE_TABLES.some((pattern) => pattern.test(statement))) continue
    const plan = database.query(`EXPLAIN QUERY PLAN ${statement}`).all() as { detail: string }[]
    for (const { detail } of plan) {
      details.add(detail)
      const isScan = detail.startsWith('SCAN') && !isBounded(detail, statement)
      if (isScan || isSearchForNull(detail)) scans.push(`${detail}: ${statement}`)
    }
  }
  expect(statements.size).toBeGreaterThan(50)
  expect(scans).toEqual([])
  const indexes = database
    .query("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT LIKE '%UNIQUE%'")
    .values()
  const plans = `${[...details].join(' ')} `
  expect(indexes.flat().filter((name) => !plans.includes(` INDEX ${name} `))).toEqual([])
  // Reads no alert that is settled, of which there may be many more.
  expect(plans).toContain('SEARCH earlier USING COVERING INDEX usage_alerts_pending')
})
