#!/usr/bin/env bash
# bun 1.4.5: an error that crosses postMessage() has another name, no code and no cause.
#
# A worker that fetches or parses sends its failure to the main thread, which decides by `name`, `code` and `cause`
# whether to try again.
#
# Expected: the prototype is lost, because the structured clone algorithm knows no classes, but an own property such as
# `code` arrives, as it does for plain objects, and so do `name` and `cause`.
# Seen: the algorithm (HTML Standard, StructuredSerializeInternal) handles errors apart. Any `name` other than those of
# ECMAScript's own errors becomes "Error", and own properties are dropped, in Node too. Node and Chromium 156 keep the
# cause, which the standard leaves open; Bun drops it.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null
cat >send.mjs <<'JS'
const fields = ({ name, code, cause }) => `name ${name}, code ${code}, cause ${cause?.message}`

class FetchError extends Error {
  name = 'FetchError'
  code = 'ETIMEDOUT'
}
const sent = {
  'class FetchError': new FetchError('no answer', { cause: new Error('the socket was closed') }),
  'plain object    ': { name: 'FetchError', code: 'ETIMEDOUT', cause: { message: 'the socket was closed' } },
}
const { port1, port2 } = new MessageChannel()
for (const what in sent) {
  const arrived = new Promise((resolve) => (port2.onmessage = ({ data }) => resolve(data)))
  port1.postMessage(sent[what])
  console.log(`${process.versions.bun ? 'bun ' : 'node'} ${what}: ${fields(await arrived)}`)
}
port1.close()
port2.close()
JS
seen=$(node send.mjs; ./node_modules/.bin/bun send.mjs)
printf '%s\n' "$seen"

# The output of Node 20.20.2 and Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
node class FetchError: name Error, code undefined, cause the socket was closed
node plain object    : name FetchError, code ETIMEDOUT, cause the socket was closed
bun  class FetchError: name Error, code undefined, cause undefined
bun  plain object    : name FetchError, code ETIMEDOUT, cause the socket was closed
EOF
