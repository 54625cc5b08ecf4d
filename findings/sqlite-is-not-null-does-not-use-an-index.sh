#!/usr/bin/env bash
# SQLite 3.54.1 (in bun 1.4.5): `WHERE deleted_at IS NOT NULL` reads the whole table, although deleted_at has an index.
#
# Ten of 10,000 rows have a time in deleted_at, and a job looks for them.
#
# Expected: the index is used, as for `deleted_at IS NULL`. NULL values are at the start of SQLite's indexes, so the rest is
# one range. ANALYZE at least tells SQLite how few these rows are.
# Seen: the plan is a scan, also after ANALYZE. `deleted_at > 0`, which is true for the same rows, uses the index, because any
# comparison with NULL is not true. So does an index with the same condition, `CREATE INDEX … WHERE deleted_at IS NOT NULL`.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null
cat >plans.js <<'JS'
import { Database } from 'bun:sqlite'

const database = new Database(':memory:')
console.log(`SQLite ${database.query('select sqlite_version()').values()[0][0]}`)
database.run('create table users (id integer primary key, name text, deleted_at integer)')
database.run('create index by_time on users (deleted_at)')
database.run(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
  insert into users select n, 'user ' || n, iif(n % 1000 = 0, n, null) from numbers`)

function print(condition, when) {
  const plan = database.query(`explain query plan select * from users where ${condition}`).all()
  console.log(`${condition}, ${when}: ${plan.map(({ detail }) => detail).join(', ')}`)
}
print('deleted_at is null', 'one index')
print('deleted_at is not null', 'one index')
print('deleted_at > 0', 'one index')
database.run('analyze')
print('deleted_at is not null', 'after ANALYZE')
database.run('create index of_deleted on users (deleted_at) where deleted_at is not null')
print('deleted_at is not null', 'with an index of these rows')
JS
seen=$(./node_modules/.bin/bun plans.js)
printf '%s\n' "$seen"

# The output of Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
SQLite 3.54.1
deleted_at is null, one index: SEARCH users USING INDEX by_time (deleted_at=?)
deleted_at is not null, one index: SCAN users
deleted_at > 0, one index: SEARCH users USING INDEX by_time (deleted_at>?)
deleted_at is not null, after ANALYZE: SCAN users
deleted_at is not null, with an index of these rows: SEARCH users USING INDEX of_deleted (deleted_at>?)
EOF
