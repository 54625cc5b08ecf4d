#!/usr/bin/env bash
# elysia 1.4.30: a handler made with bind() gets no query, headers or body.
#
# Handlers that share an implementation are often made from it: by bind(), by a function with rest parameters that measures
# the time of another one, or by a Proxy.
#
# Expected: a handler gets the same context, however the function was made. JavaScript offers no way to tell.
# Seen: Elysia reads the text of each handler (`Function.prototype.toString`) to find which members of the context it uses,
# and compiles code that sets only these. The text of a bound function and of a Proxy is `function () { [native code] }` and
# names no members. With rest parameters, they are not recognized either. All of these handlers work in tests that call them
# directly, and get `undefined` in the server.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund elysia@1.4.30 @sinclair/typebox@0.34.52 >/dev/null
cat >routes.mjs <<'JS'
import { Elysia } from 'elysia'

const show = (context) => `query ${JSON.stringify(context.query)}, headers ${typeof context.headers}, body ${context.body}`
const handlers = {
  direct: show,
  arrow: (context) => show(context),
  bound: show.bind(null),
  proxy: new Proxy(show, {}),
  rest: (...context) => show(context[0]),
}
const app = new Elysia()
for (const name in handlers) app.post(`/${name}`, handlers[name])

for (const name in handlers) {
  const request = new Request(`https://meta.example.com/${name}?id=7`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'text',
  })
  console.log(`${name}: ${await (await app.handle(request)).text()}`)
}
process.exit(0)
JS
seen=$(node routes.mjs)
printf '%s\n' "$seen"

# The output of version 1.4.30:
diff <(printf '%s\n' "$seen") - <<'EOF'
direct: query {"id":"7"}, headers object, body text
arrow: query {"id":"7"}, headers object, body text
bound: query undefined, headers undefined, body undefined
proxy: query undefined, headers undefined, body undefined
rest: query undefined, headers undefined, body undefined
EOF
