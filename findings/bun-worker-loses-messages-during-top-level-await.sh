#!/usr/bin/env bash
# bun 1.4.5: a worker loses the messages that arrive during its top-level await.
#
# A worker often needs something before it can work: a compiled WebAssembly module, a database, another module.
# `await` at the top of its module, and `onmessage` below, is the obvious order.
#
# Expected: the messages wait until the worker has set `onmessage`, as they wait while it starts. In Node, the messages to a
# worker of node:worker_threads with the same `await` do.
# Seen: they wait only until the first `await`. From then on, messages are delivered although nobody listens, and are lost
# without an error, in Chromium 156 too. Bun's documentation (docs/runtime/workers) says so, and that an `await` in a module
# that the worker imports has the same effect: then even an `onmessage` in the first line comes too late.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null

cat >without-await.mjs <<'JS'
onmessage = ({ data }) => postMessage(data)
JS
cat >with-await.mjs <<'JS'
await new Promise((resolve) => setTimeout(resolve, 100))
onmessage = ({ data }) => postMessage(data)
JS
cat >worker-threads.mjs <<'JS'
import { parentPort } from 'node:worker_threads'
await new Promise((resolve) => setTimeout(resolve, 100))
parentPort.on('message', (data) => parentPort.postMessage(data))
JS
cat >main.mjs <<'JS'
const file = process.argv[2]
const { Worker: Thread } = await import('node:worker_threads')
const worker = file.startsWith('worker-threads')
  ? new Thread(new URL(file, import.meta.url))
  : new Worker(new URL(file, import.meta.url).href)
const received = []
if (worker.on) worker.on('message', (data) => received.push(data))
else worker.onmessage = ({ data }) => received.push(data)
worker.postMessage('sent at once')
setTimeout(() => worker.postMessage('sent after 1 s'), 1_000)
setTimeout(() => {
  console.log(`${process.versions.bun ? 'bun' : 'node'} ${file}: ${received.join(', ')}`)
  process.exit(0)
}, 2_000)
JS
seen=$(
  node main.mjs worker-threads.mjs
  for file in worker-threads.mjs without-await.mjs with-await.mjs; do ./node_modules/.bin/bun main.mjs $file; done
)
printf '%s\n' "$seen"

# The output of version 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
node worker-threads.mjs: sent at once, sent after 1 s
bun worker-threads.mjs: sent at once, sent after 1 s
bun without-await.mjs: sent at once, sent after 1 s
bun with-await.mjs: sent after 1 s
EOF
