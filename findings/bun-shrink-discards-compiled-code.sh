#!/usr/bin/env bash
# bun 1.4.5: Bun.shrink() discards compiled code, so the next calls run in the interpreter.
#
# A server that is idle can call Bun.shrink() to return memory to the system.
#
# Expected: the cost of a collection, like Bun.gc(true), and afterwards the same speed as before.
# Seen: once the event loop is idle, the code that the engine has compiled is discarded too. A function then takes about ten
# times as long, until it is compiled again. In a server that called Bun.shrink() after three seconds without requests, each
# burst of requests took twice the CPU time.
#
# Needs Node and npm. Exits with 1 if the behavior has changed: if the calls after Bun.shrink() do not take three times as
# long as those after Bun.gc(true).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null
cat >measure.js <<'JS'
const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20)

function wordLengths(bytes) {
  const lengths = new Uint32Array(16)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 32 || byte === 46) {
      lengths[length & 15]++
      length = 0
    } else length++
  }
  return lengths
}

const bytes = new TextEncoder().encode(text)

/** Microseconds of 200 calls. */
function measure() {
  const startedAt = performance.now()
  for (let i = 0; i < 200; i++) wordLengths(bytes)
  return (performance.now() - startedAt) * 1_000
}

/** The median of nine runs, before each of which the code is warm. */
async function medianAfter(act) {
  const times = []
  for (let run = 0; run < 9; run++) {
    for (let i = 0; i < 20_000; i++) wordLengths(bytes)
    act()
    await Bun.sleep(20)
    times.push(measure())
  }
  return times.sort((a, b) => a - b)[4]
}

const warm = await medianAfter(() => {})
const afterGc = await medianAfter(() => Bun.gc(true))
const afterShrink = await medianAfter(() => Bun.shrink())
console.log(`warm ${warm.toFixed(0)} us, after Bun.gc(true) ${afterGc.toFixed(0)} us, after Bun.shrink() ${afterShrink.toFixed(0)} us`)
process.exit(afterShrink >= 3 * afterGc ? 0 : 1)
JS
./node_modules/.bin/bun measure.js

# Three runs on one machine printed 113 to 216 us when warm, 155 to 221 us after Bun.gc(true), and 1940 to 2061 us after
# Bun.shrink().
