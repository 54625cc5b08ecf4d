import { eq, sql } from 'drizzle-orm'

import type { Keys } from '../../core/accounts/ports.ts'
import type { Dialect } from '../sql/dialect.ts'
import { ownerOf, preparedOwners, sqlKeys } from '../sql/keys.ts'
import type { AccountTables } from '../sql/tables.ts'

export function sqliteKeys(dialect: Dialect<AccountTables>): Keys {
  const owners = preparedOwners(dialect, eq(dialect.tables.apiKeys.hash, sql.placeholder('hash')))

  return {
    ...sqlKeys(dialect),
    async findActive(hash) {
      const [found] = await owners.execute({ hash })
      return found ? ownerOf(found) : null
    },
  }
}
