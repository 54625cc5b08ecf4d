import type { Database } from 'bun:sqlite'

/** Each of these values is read from an index, except `last_seen_at`: there are few sessions. */
const NEWEST = `
  SELECT max(at) AS at FROM (
    SELECT max(created_at) AS at FROM users
    UNION ALL SELECT max(last_seen_at) FROM sessions
    UNION ALL SELECT max(at) FROM audit_log
    UNION ALL SELECT max(at) FROM request_log
    UNION ALL SELECT max(last_used_at) FROM daily_usage WHERE day = (SELECT max(day) FROM daily_usage)
  )`

/** The newest time in the rows that users and operators create, in Unix milliseconds; null without any. */
export function newestRow(database: Database): () => Promise<number | null> {
  return async () => database.query<{ at: number | null }, []>(NEWEST).get()!.at
}
