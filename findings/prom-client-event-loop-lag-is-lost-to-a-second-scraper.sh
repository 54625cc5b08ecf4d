#!/usr/bin/env bash
# prom-client 15.1.3: the second of two Prometheus servers does not see how long the event loop was blocked.
#
# Prometheus is often run twice, for availability, or somebody looks at /metrics with curl. collectDefaultMetrics() adds
# nodejs_eventloop_lag_max_seconds, its mean and percentiles.
#
# Expected: reading metrics changes nothing. All readers see the same, as with counters and histograms.
# Seen: collecting these metrics resets the histogram behind them, to have values of the last interval
# (https://github.com/prometheus/client_js/pull/459). Whoever comes first after a stall gets it, and everybody else gets the
# lag since then, so each of two servers misses about half of the stalls, and an alert may see none.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund prom-client@15.1.3 >/dev/null
cat >stall.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, register } from 'prom-client'

collectDefaultMetrics()
await sleep(200)
const end = Date.now() + 1_000
while (Date.now() < end);
await sleep(200)
for (const server of ['first', 'second']) {
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(await register.metrics())[1]
  console.error(`${server} server: ${seconds}`)
  console.log(`${server} server: ${seconds > 0.9 ? 'the stall of a second' : 'no stall'}`)
  await sleep(200)
}
process.exit(0)
JS
seen=$(node stall.mjs)
printf '%s\n' "$seen"

# The output of version 15.1.3 on Node 20.20.2:
diff <(printf '%s\n' "$seen") - <<'EOF'
first server: the stall of a second
second server: no stall
EOF
