#!/usr/bin/env bash
# drizzle-orm 0.45.4: a migration that was generated before the latest applied one is never applied.
#
# Two people generate a migration each, on two branches. The one that was generated first is merged last.
#
# Expected: migrate() applies each migration of the journal that the table __drizzle_migrations does not have. The table
# stores a hash of each.
# Seen: only the time of the newest row is compared. A migration of the journal is applied if its `when`, the time at which
# it was generated, is later. The one that was merged last is older, so migrate() succeeds without it on every database
# that already has the other one, while a new database gets both. The hashes are not compared. Reported as
# https://github.com/drizzle-team/drizzle-orm/issues/5769.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 drizzle-orm@0.45.4 >/dev/null
mkdir -p drizzle/meta
echo 'CREATE TABLE users (id integer);' >drizzle/0000_users.sql
echo 'CREATE TABLE invoices (id integer);' >drizzle/0001_invoices.sql
echo 'CREATE TABLE sessions (id integer);' >drizzle/0001_sessions.sql
cat >merge.js <<'JS'
import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'

const users = { tag: '0000_users', when: Date.UTC(2026, 0, 1) }
const invoices = { tag: '0001_invoices', when: Date.UTC(2026, 0, 2) }
const sessions = { tag: '0001_sessions', when: Date.UTC(2026, 0, 3) }

function migrated(database, ...migrations) {
  const entries = migrations.map((entry, idx) => ({ idx, version: '6', breakpoints: true, ...entry }))
  writeFileSync('drizzle/meta/_journal.json', JSON.stringify({ version: '7', dialect: 'sqlite', entries }))
  migrate(drizzle(database), { migrationsFolder: 'drizzle' })
  const names = database.query("select name from sqlite_schema where type = 'table' order by name").values().flat()
  return names.filter((name) => !name.startsWith('__drizzle')).join(', ')
}

const existing = new Database(':memory:')
console.log(`before the merge: ${migrated(existing, users, sessions)}`)
console.log(`after the merge: ${migrated(existing, users, invoices, sessions)}`)
console.log(`with the merged migration last in the journal: ${migrated(existing, users, sessions, invoices)}`)
console.log(`a new database: ${migrated(new Database(':memory:'), users, invoices, sessions)}`)
JS
seen=$(./node_modules/.bin/bun merge.js)
printf '%s\n' "$seen"

# The output of version 0.45.4 with Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
before the merge: sessions, users
after the merge: sessions, users
with the merged migration last in the journal: sessions, users
a new database: invoices, sessions, users
EOF
