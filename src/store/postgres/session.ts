import { StoreError } from '../../core/store-fault.ts'
import { PATIENT_DEADLINES, within } from '../deadline.ts'
import { createClient, type SessionSettings } from './pool.ts'

/**
 * Own tables are in the schema `public`: its name is in foreign keys. A user often has a schema of its own name, which
 * comes first in the default search_path, or an empty search_path. Sessions with a path that works keep it, because
 * PgBouncer rejects the setting: one that starts with `public`, and one to tables that were moved to another schema.
 */
const CANDIDATES: readonly SessionSettings[] = [{}, { search_path: 'public' }]

/** Every text can be stored with these. SQL_ASCII stores the bytes, which are UTF-8. */
const ENCODINGS: ReadonlySet<string> = new Set(['UTF8', 'SQL_ASCII'])

const FACTS = `
  SELECT current_setting('server_encoding') AS encoding,
    current_setting('default_transaction_read_only') = 'on' AS is_read_only,
    coalesce(current_schema(), '') = 'public' OR
      to_regclass('public.monthly_usage') IS NULL AND to_regclass('monthly_usage') IS NOT NULL AS leads_to_tables`

export type Session = Awaited<ReturnType<typeof openSession>>

/**
 * Connects once. Names of tables lead to the tables of this program, with `settings` where the user's own do not suffice.
 * Transactions may be read-only by default. The caller disposes the session.
 * @throws StoreError `encoding` or `search_path`; other errors if the database cannot be reached
 */
export async function openSession(url: string, name: string, { callMs, statementMs } = PATIENT_DEADLINES) {
  for (const settings of CANDIDATES) {
    await using stack = new AsyncDisposableStack()
    const client = createClient(url, name, { max: 1 }, statementMs, settings)
    const sql = stack.adopt(client, () => client.close({ timeout: 0 }))
    const [row] = await within(callMs, sql.unsafe(FACTS))
    if (!ENCODINGS.has(row.encoding)) throw new StoreError('encoding', { detail: row.encoding })
    if (!row.leads_to_tables) continue
    const owned = stack.move()
    const isReadOnly: boolean = row.is_read_only
    return { sql, settings, isReadOnly, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }
  throw new StoreError('search_path')
}
