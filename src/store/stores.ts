import type { AuditLog, Identities, Keys, Sessions, Tickets, Users } from '../core/account-ports.ts'
import type { ResultCache } from '../core/ports.ts'
import type { Usage } from '../core/usage-ports.ts'

/** Everything that an installation keeps. */
export interface Stores {
  users: Users
  identities: Identities
  sessions: Sessions
  tickets: Tickets
  audit: AuditLog
  keys: Keys
  usage: Usage
  results: ResultCache
  /** Reads and writes the database; rejects with a StoreError. */
  ping(): Promise<void>
}
