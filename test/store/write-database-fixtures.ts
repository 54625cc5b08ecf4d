// `bun run db:fixtures` writes a database with the current schema and the sample rows, in SQL, for SQLite and PostgreSQL.
// The files of earlier migrations are not changed: they are the databases of released versions.
import { getTableColumns, getTableName, type Table } from 'drizzle-orm'

import { tables as postgresTables } from '../../src/store/postgres/schema.ts'
import * as postgresUsageSchema from '../../src/store/postgres/usage-schema.ts'
import { tables as sqliteTables } from '../../src/store/sqlite/schema.ts'
import * as sqliteUsageSchema from '../../src/store/sqlite/usage-schema.ts'
import { type Dialect, DIALECTS, fixtureOf, migrationsOf } from './database-fixtures.ts'
import { POSTGRES_SAMPLE_ROWS, SAMPLE_ROWS } from './sample-rows.ts'

type Rows = Readonly<Record<string, readonly object[]>>

interface Contents {
  /** The tables by variable name in the schema, like `rows`. */
  tables: object
  rows: Rows
  /** Statements after the rows. */
  closing: readonly string[]
}

const CONTENTS: Record<Dialect, Contents> = {
  sqlite: { tables: { ...sqliteTables, ...sqliteUsageSchema }, rows: SAMPLE_ROWS, closing: [] },
  postgres: {
    tables: { ...postgresTables, ...postgresUsageSchema },
    rows: { ...SAMPLE_ROWS, ...POSTGRES_SAMPLE_ROWS },
    closing: ["SELECT setval('request_log_id_seq', (SELECT max(id) FROM request_log));"],
  },
}

for (const dialect of Object.keys(DIALECTS) as Dialect[]) {
  const migrations = await migrationsOf(dialect)
  const { migrationsTable, createMigratorTables } = DIALECTS[dialect]
  const { tables, rows, closing } = CONTENTS[dialect]
  const path = fixtureOf(dialect, migrations.at(-1)!.tag)
  const lines = [
    '-- Written by `bun run db:fixtures`.',
    ...migrations.map(({ text }) => text.replace(/;?\s*$/, ';')),
    createMigratorTables,
    ...migrations.map(
      ({ hash, folderMillis }) =>
        `INSERT INTO "${migrationsTable}" (hash, created_at) VALUES ('${hash}', ${folderMillis});`,
    ),
    ...Object.entries(rows).flatMap(([name, ofTable]) =>
      ofTable.map((row) => insertion((tables as Record<string, Table>)[name]!, row)),
    ),
    ...closing,
  ]
  await Bun.write(path, `${lines.join('\n')}\n`)
  process.stdout.write(`${path}\n`)
}

function insertion(table: Table, row: object): string {
  const columns = Object.entries(getTableColumns(table)).map(([property, column]) => {
    const value = (row as Record<string, unknown>)[property]
    return { name: `"${column.name}"`, value: literal(value === null ? null : column.mapToDriverValue(value)) }
  })
  const [names, values] = [columns.map(({ name }) => name), columns.map(({ value }) => value)]
  return `INSERT INTO "${getTableName(table)}" (${names.join(', ')}) VALUES (${values.join(', ')});`
}

/** Formats a driver's value as SQL. */
function literal(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  throw new Error(`a column has the value ${String(value)}`)
}
