#!/usr/bin/env bash
# drizzle-kit 0.31.11 with drizzle-orm 0.45.4: making a column NOT NULL deletes the rows of another SQLite table.
#
# SQLite cannot add NOT NULL to a column, so drizzle-kit generates the usual steps: a new table, a copy of the rows, DROP
# TABLE of the old one and a rename. The file starts with `PRAGMA foreign_keys=OFF`, as SQLite's documentation advises
# (https://www.sqlite.org/lang_altertable.html), because DROP TABLE first deletes all rows if foreign keys are enforced.
#
# Expected: the rows of tables that refer to the old table stay.
# Seen: the migrator runs the file in a transaction, and in a transaction the pragma does nothing
# (https://www.sqlite.org/pragma.html#pragma_foreign_keys). Foreign keys stay enforced, and with `onDelete: 'cascade'` the
# deletion of the old rows deletes those that refer to them. The migration succeeds. Reported as
# https://github.com/drizzle-team/drizzle-orm/issues/4938.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 drizzle-orm@0.45.4 drizzle-kit@0.31.11 >/dev/null
cat >schema.ts <<'TS'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const authors = sqliteTable('authors', { id: integer().primaryKey(), name: text() })
export const books = sqliteTable('books', {
  id: integer().primaryKey(),
  authorId: integer('author_id').references(() => authors.id, { onDelete: 'cascade' }),
})
TS
cat >migrate.js <<'JS'
import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'

const database = new Database('library.db')
database.run('PRAGMA foreign_keys = ON')
migrate(drizzle(database), { migrationsFolder: 'drizzle' })
if (process.argv[2] === 'fill') {
  database.run("insert into authors values (1, 'Ann'), (2, 'Ben')")
  database.run('insert into books values (1, 1), (2, 1), (3, 2)')
}
const count = (table) => database.query(`select count(*) as n from ${table}`).get().n
console.log(`${count('authors')} authors, ${count('books')} books`)
JS
generate() {
  ./node_modules/.bin/drizzle-kit generate --dialect sqlite --schema schema.ts --out drizzle --name "$1" >/dev/null
}
generate tables
seen=$(./node_modules/.bin/bun migrate.js fill)
sed -i 's/name: text()/name: text().notNull()/' schema.ts
generate not_null
cat drizzle/0001_not_null.sql
echo
seen=$(printf '%s\n' "$seen"; ./node_modules/.bin/bun migrate.js)
printf '%s\n' "$seen"

# The counts before and after the second migration, with Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
2 authors, 3 books
2 authors, 0 books
EOF
