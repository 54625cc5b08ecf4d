import { afterAll, beforeAll, expect, test } from 'bun:test'

import { SQL } from 'bun'

import { openPostgres, type PostgresStores } from '../../src/store/postgres/open.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { describePostgres } from '../requirements.ts'
import { accountsContract } from './accounts-contract.ts'
import { auditLogContract } from './audit-log-contract.ts'
import { identitiesContract } from './identities-contract.ts'
import { resultBoundContract, resultCacheContract } from './result-cache-contract.ts'
import { sessionsContract } from './sessions-contract.ts'
import { ticketsContract } from './tickets-contract.ts'
import { usageContract } from './usage-contract.ts'

describePostgres('PostgreSQL', (binDir) => {
  let server: PostgresServer
  let url: string
  let admin: SQL

  beforeAll(async () => {
    server = await startPostgres(binDir)
    url = await server.createDatabase()
    await using _ = await openPostgres({ url, maxResults: 1 })
    admin = new SQL({ url, max: 2 })
  })
  afterAll(async () => {
    await admin?.close()
    await server?.[Symbol.asyncDispose]()
  })

  /** The database without any row: creating a new one for each test takes ten times as long. */
  async function open(maxResults = 100): Promise<PostgresStores> {
    const tables = await admin`
      SELECT string_agg(table_name, ', ') AS names FROM information_schema.tables
      WHERE table_schema = 'public' AND table_name NOT LIKE 'urlmeta_%'`
    await admin.unsafe(`TRUNCATE ${tables[0].names}`)
    return openPostgres({ url, maxResults })
  }

  accountsContract('postgres', () => open())
  usageContract('postgres', () => open())
  identitiesContract('postgres', () => open())
  sessionsContract('postgres', () => open())
  ticketsContract('postgres', () => open())
  auditLogContract('postgres', () => open())
  resultCacheContract('postgres', open)
  resultBoundContract('postgres', open)

  test('answers', async () => {
    await using stores = await open()
    await stores.ping()
    expect(await stores.bytes()).toBeGreaterThan(0)
  })
})
