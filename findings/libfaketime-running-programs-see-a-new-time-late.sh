#!/usr/bin/env bash
# libfaketime 0.9.10 (Debian 12): a running program sees a change of FAKETIME_TIMESTAMP_FILE up to ten seconds late.
#
# The file holds an offset, which a test changes to move the clock of a running server over the end of a day or month.
#
# Expected: the next reading of the clock has the new offset. `date` with the same environment shows it at once.
# Seen: `date` is a new process, which reads the file when it starts. A process that runs reads it again only ten seconds after
# it has last read it. Until then the server has the old date, and a test of what happens at midnight tests nothing. With
# FAKETIME_CACHE_DURATION=1 it is one second, and with FAKETIME_NO_CACHE=1 the file is read each time.
#
# Needs Node and Debian's faketime. Takes 15 seconds. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
library=$(faketime -f +0 env | sed -n 's/^LD_PRELOAD=//p')
fake() { env LD_PRELOAD="$library" FAKETIME_TIMESTAMP_FILE="$dir/offset" FAKETIME_DONT_FAKE_MONOTONIC=1 "$@"; }
cat >watch.mjs <<'JS'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const isMoved = (year) => (Number(year) > 2100 ? 'the new time' : 'the old time')
const year = () => new Date().getFullYear()
writeFileSync('offset', '+36500d')
const writtenAt = performance.now()
console.log(`date: ${isMoved(execFileSync('date', ['+%Y']))}`)
for (const seconds of [1, 5, 12]) {
  while (performance.now() - writtenAt < seconds * 1_000) await new Promise((resolve) => setTimeout(resolve, 50))
  console.log(`the running program after ${seconds} s: ${isMoved(year())}`)
}
JS
seen=$(
  for variable in FAKETIME_CACHE_DURATION=10 FAKETIME_NO_CACHE=1; do
    echo +0 >offset
    echo "$variable"
    fake "$variable" node watch.mjs
  done
)
printf '%s\n' "$seen"

# The output of version 0.9.10:
diff <(printf '%s\n' "$seen") - <<'EOF'
FAKETIME_CACHE_DURATION=10
date: the new time
the running program after 1 s: the old time
the running program after 5 s: the old time
the running program after 12 s: the new time
FAKETIME_NO_CACHE=1
date: the new time
the running program after 1 s: the new time
the running program after 5 s: the new time
the running program after 12 s: the new time
EOF
