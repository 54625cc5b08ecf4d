#!/usr/bin/env bash
# Redis 7.0.15 (Debian 12): a Lua number of 16 digits is exact as an argument, and shortened in a key and in JSON.
#
# A script makes an id or a time in microseconds of the two parts of TIME: `seconds * 1000000 + microseconds`.
#
# Expected: the same digits everywhere. Lua's numbers are doubles, which hold integers up to 9,007,199,254,740,992 exactly.
# Seen: as an argument of redis.call(), the number is exact, because Redis formats it itself. Where Lua 5.1 makes text of a
# number, it keeps 14 digits: the key 'event:' .. n ends in 1.7644162571235e+15, so all events of a tenth of a millisecond
# have the same key. cjson.encode() keeps 14 digits as well, also of a number that cjson.decode() has read. Milliseconds,
# which have 13 digits, always work. string.format('%.0f', n) keeps all digits.
#
# Needs Debian's redis-server and redis-tools. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
redis-server --version >&2
redis-server --port 0 --unixsocket "$dir/redis.sock" --save '' --dir "$dir" --logfile "$dir/log" &
for _ in $(seq 100); do [ -S "$dir/redis.sock" ] && break; sleep 0.1; done

cat >"$dir/times.lua" <<'LUA'
local time = {'1764416257', '123456'}
local n = time[1] * 1000000 + time[2]
redis.call('SET', 'argument', n)
redis.call('ZADD', 'scores', n, 'member')
return {
  'argument: ' .. redis.call('GET', 'argument'),
  'score: ' .. redis.call('ZSCORE', 'scores', 'member'),
  'key: event:' .. n,
  'cjson: ' .. cjson.encode({ at = n }),
  'cjson of a number that it has read: ' .. cjson.encode(cjson.decode('{"at":1764416257123456}')),
  'format: ' .. string.format('%.0f', n),
  'milliseconds in a key: event:' .. math.floor(n / 1000)
}
LUA
seen=$(redis-cli -s "$dir/redis.sock" --eval "$dir/times.lua")
printf '%s\n' "$seen"

# The output of version 7.0.15:
diff <(printf '%s\n' "$seen") - <<'EOF'
argument: 1764416257123456
score: 1764416257123456
key: event:1.7644162571235e+15
cjson: {"at":1.7644162571235e+15}
cjson of a number that it has read: {"at":1.7644162571235e+15}
format: 1764416257123456
milliseconds in a key: event:1764416257123
EOF
