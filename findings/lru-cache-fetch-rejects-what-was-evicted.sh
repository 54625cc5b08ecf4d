#!/usr/bin/env bash
# lru-cache 11.5.3: fetch() rejects a request that succeeds, if its entry is evicted while it is in progress.
#
# `fetchMethod` is used to request each image once, however many callers ask for it, and to keep the latest images.
#
# Expected: the limits decide what is kept. A caller that waits for a value gets it, whether or not it is kept.
# Seen: an entry in progress counts like any other, so with more requests at a time than `max`, the earliest promises are
# rejected with "evicted", although no request failed. With `maxSize`, the value whose size does not fit rejects its own
# promise. `ignoreFetchAbort` delivers the values; together with `allowStaleOnFetchAbort` the callers get undefined instead.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund lru-cache@11.5.3 >/dev/null
cat >fetch.mjs <<'JS'
import { LRUCache } from 'lru-cache'

const requestImage = (url) => new Promise((resolve) => setTimeout(resolve, 20, { url, bytes: 40 }))
for (const options of [
  { max: 2 },
  { maxSize: 100, sizeCalculation: ({ bytes }) => bytes },
  { max: 2, ignoreFetchAbort: true },
  { max: 2, ignoreFetchAbort: true, allowStaleOnFetchAbort: true },
]) {
  const cache = new LRUCache({ ...options, fetchMethod: requestImage })
  const settled = await Promise.allSettled(['a', 'b', 'c', 'd'].map((url) => cache.fetch(url)))
  const results = settled.map(({ value, reason }) => reason?.message ?? value?.url ?? 'undefined')
  console.log(`${JSON.stringify(options)}: ${results.join(', ')}; ${cache.size} kept`)
}
JS
seen=$(node fetch.mjs)
printf '%s\n' "$seen"

# The output of version 11.5.3:
diff <(printf '%s\n' "$seen") - <<'EOF'
{"max":2}: evicted, evicted, c, d; 2 kept
{"maxSize":100}: a, b, c, evicted; 2 kept
{"max":2,"ignoreFetchAbort":true}: a, b, c, d; 2 kept
{"max":2,"ignoreFetchAbort":true,"allowStaleOnFetchAbort":true}: undefined, undefined, c, d; 2 kept
EOF
