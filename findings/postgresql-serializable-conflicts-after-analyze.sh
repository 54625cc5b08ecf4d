#!/usr/bin/env bash
# PostgreSQL 15 (Debian 12): two SERIALIZABLE transactions with different rows fail after ANALYZE, and not before.
#
# Each transaction reads one counter by its primary key and adds to it. The two have different counters.
#
# Expected: serializable transactions fail with 40001 if they read what another one writes. Two that touch different rows
# never do, and statistics change the speed only.
# Seen: both commit on a new table, which is read by its index. After ANALYZE, PostgreSQL knows that the table has one page,
# and reads it as a whole. A sequential scan takes a predicate lock on the table, so each transaction has read what the other
# writes, and one fails (section 13.2.3 of the documentation names sequential scans as a cause). Autovacuum runs
# ANALYZE by itself, so a program that works in tests gets errors some time later. With `enable_seqscan = off`, both commit.
# Two transactions that insert different keys, after looking for them, conflict even then: the keys are on the same page of
# the index.
#
# Needs Node, npm and Debian's postgresql, and as root also runuser. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
bin=$(dirname "$(find /usr/lib/postgresql -name initdb | sort -V | tail -n 1)")
# PostgreSQL does not run as root.
as_user() { if [ "$(id -u)" = 0 ]; then runuser -u nobody -- "$@"; else "$@"; fi; }
trap 'as_user "$bin/pg_ctl" -D "$dir/data" -m fast stop >/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund pg@8.23.1 >/dev/null
[ "$(id -u)" != 0 ] || chown nobody "$dir"
as_user "$bin/initdb" --auth=trust --username=ann data >/dev/null
as_user "$bin/pg_ctl" -D data -o "-c listen_addresses='' -k $dir" -w -l "$dir/log" start >/dev/null
cat >counters.mjs <<'JS'
import pg from 'pg'

async function connect() {
  const client = new pg.Client({ host: process.cwd(), user: 'ann', database: 'postgres' })
  await client.connect()
  return client
}
const clients = { a: await connect(), b: await connect() }
const all = async (sql) => {
  for (const client of Object.values(clients)) await client.query(sql)
}

/** Runs a statement in both transactions before the next one, and commits both. */
async function outcome(...statements) {
  await all('begin isolation level serializable')
  for (const statement of statements) for (const key in clients) await clients[key].query(statement(key))
  const codes = []
  for (const key in clients) codes.push(await clients[key].query('commit').then(() => 'committed', ({ code }) => code))
  await all('rollback')
  return codes.join(', ')
}

const read = (key) => `select n from counters where name = '${key}'`
const add = (key) => `update counters set n = n + 1 where name = '${key}'`
async function print(what) {
  const plan = (await clients.a.query(`explain (costs off) ${read('a')}`)).rows[0]['QUERY PLAN']
  console.log(`${what}: ${plan}: ${await outcome(read, add)}`)
}

console.error((await clients.a.query('show server_version')).rows[0].server_version)
await clients.a.query('create table counters (name text primary key, n int not null)')
await clients.a.query("insert into counters values ('a', 0), ('b', 0)")
await print('new table')
await clients.a.query('analyze counters')
await print('after ANALYZE')
await all('set enable_seqscan = off')
await print('enable_seqscan = off')
const look = (key) => `select from counters where name = 'new ${key}'`
const insert = (key) => `insert into counters values ('new ${key}', 0)`
console.log(`look and insert: ${await outcome(look, insert)}`)
for (const client of Object.values(clients)) await client.end()
JS
seen=$(node counters.mjs)
printf '%s\n' "$seen"

# The output of version 15.18:
diff <(printf '%s\n' "$seen") - <<'EOF'
new table: Index Scan using counters_pkey on counters: committed, committed
after ANALYZE: Seq Scan on counters: committed, 40001
enable_seqscan = off: Index Scan using counters_pkey on counters: committed, committed
look and insert: committed, 40001
EOF
