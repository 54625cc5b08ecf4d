#!/usr/bin/env bash
# drizzle-orm 0.45.4 on bun:sqlite: an async transaction is committed at its first await.
#
# With PostgreSQL, a transaction of drizzle is an async function: `await db.transaction(async (tx) => …)`. The same call
# compiles and runs with the driver for bun:sqlite.
#
# Expected: a function that throws is rolled back. Or, because SQLite's driver is synchronous, a refusal of async
# functions: the better-sqlite3 driver has one ("Transaction function cannot return a promise").
# Seen: the transaction is committed as soon as the function has returned its promise. What follows the first `await` runs
# outside of any transaction. After an error, the promise rejects as it should, and all rows stay.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 drizzle-orm@0.45.4 >/dev/null
cat >transfer.js <<'JS'
import { Database } from 'bun:sqlite'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'

const database = new Database(':memory:')
const db = drizzle(database)
db.run(sql`create table entries (text text)`)

const sums = async () => {
  throw new Error('the sums differ')
}
try {
  await db.transaction(async (tx) => {
    tx.run(sql`insert into entries values ('before await')`)
    console.log(`before await: in a transaction: ${database.inTransaction}`)
    await null
    console.log(`after await: in a transaction: ${database.inTransaction}`)
    tx.run(sql`insert into entries values ('after await')`)
    await sums()
  })
} catch (error) {
  console.log(`rejected: ${error.message}`)
}
console.log(`rows: ${db.all(sql`select text from entries`).map(({ text }) => text).join(', ')}`)
JS
seen=$(./node_modules/.bin/bun transfer.js)
printf '%s\n' "$seen"

# The output of version 0.45.4 with Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
before await: in a transaction: true
after await: in a transaction: false
rejected: the sums differ
rows: before await, after await
EOF
