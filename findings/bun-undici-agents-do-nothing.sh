#!/usr/bin/env bash
# bun 1.4.5: with undici installed, `import { RetryAgent } from 'undici'` gets a class that does nothing.
#
# A client that runs in Node repeats failed requests with undici's RetryAgent. The same code runs in Bun, with the same
# package in node_modules.
#
# Expected: the package that is installed. Or, if Bun has none of its own for a class, an error at the import.
# Seen: Bun replaces the name `undici` by a built-in module, whatever is installed. The module exports Agent, RetryAgent and
# others so that imports succeed, and request() and fetch() ignore the option `dispatcher`. A 503 is returned without a second
# attempt and without an error. Bun's documentation describes it (docs/runtime/module-resolution), except for RetryAgent.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 undici@7.30.2 >/dev/null
cat >retry.mjs <<'JS'
import { createServer } from 'node:http'
import { Agent, RetryAgent, request } from 'undici'

let requests = 0
const server = createServer((_, response) => {
  response.statusCode = ++requests === 1 ? 503 : 200
  response.end()
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const dispatcher = new RetryAgent(new Agent(), { minTimeout: 10 })
const { statusCode } = await request(`http://127.0.0.1:${server.address().port}`, { dispatcher })
console.log(`${process.versions.bun ? 'bun' : 'node'}: status ${statusCode}, requests ${requests}`)
process.exit(0)
JS
seen=$(node retry.mjs; ./node_modules/.bin/bun retry.mjs)
printf '%s\n' "$seen"

# The output of Node 20.20.2 and Bun 1.4.5 with undici 7.30.2:
diff <(printf '%s\n' "$seen") - <<'EOF'
node: status 200, requests 2
bun: status 503, requests 1
EOF
