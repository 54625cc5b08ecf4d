import { sql } from 'drizzle-orm'

import type { Keys } from '../../core/accounts/ports.ts'
import type { Dialect } from '../sql/dialect.ts'
import { preparedOwners, sqlKeys, type StoredOwner } from '../sql/keys.ts'
import type { AccountTables } from '../sql/tables.ts'

export interface PostgresKeys extends Omit<Keys, 'findActive'> {
  /** The owners of the active keys among these hashes; see `Keys.findActive`. */
  findAllActive(hashes: readonly string[]): Promise<ReadonlyMap<string, StoredOwner>>
}

export function postgresKeys(dialect: Dialect<AccountTables>): PostgresKeys {
  const isKey = dialect.isAmong(dialect.tables.apiKeys.hash, sql.placeholder('hashes'))
  const owners = preparedOwners(dialect, isKey)

  return {
    ...sqlKeys(dialect),
    async findAllActive(hashes) {
      const rows = await owners.execute({ hashes: JSON.stringify(hashes) })
      return new Map(rows.map((row) => [row.hash, row]))
    },
  }
}
