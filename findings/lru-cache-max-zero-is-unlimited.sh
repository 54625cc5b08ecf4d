#!/usr/bin/env bash
# lru-cache 11.5.3: `max: 0` with `maxSize` does not turn the cache off, but removes the limit on entries.
#
# The number of entries comes from the configuration, and an operator sets it to 0 to turn the cache off.
#
# Expected: with `max: 0`, set() keeps nothing, or the constructor refuses the value, as it does if `max` is the only limit.
# Seen: 0 means "no limit", as if `max` were left out (README, Storage Bounds Safety). With another limit (`maxSize` or `ttl`),
# it is accepted, and the cache that was to be empty keeps everything within that limit: five entries with `max: 5`, 100,000
# with `max: 0`.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund lru-cache@11.5.3 >/dev/null
cat >fill.mjs <<'JS'
import { LRUCache } from 'lru-cache'

const maxSize = 10_000_000
for (const options of [{ max: 5, maxSize }, { max: 1, maxSize }, { max: 0, maxSize }, { max: 0 }])
  try {
    const cache = new LRUCache({ ...options, sizeCalculation: options.maxSize && (() => 10) })
    for (let key = 0; key < 100_000; key++) cache.set(key, 'a value')
    console.log(`${JSON.stringify(options)}: size ${cache.size}`)
  } catch (error) {
    console.log(`${JSON.stringify(options)}: ${error.message}`)
  }
JS
seen=$(node fill.mjs)
printf '%s\n' "$seen"

# The output of version 11.5.3:
diff <(printf '%s\n' "$seen") - <<'EOF'
{"max":5,"maxSize":10000000}: size 5
{"max":1,"maxSize":10000000}: size 1
{"max":0,"maxSize":10000000}: size 100000
{"max":0}: At least one of max, maxSize, or ttl is required
EOF
