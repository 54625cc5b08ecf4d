#!/usr/bin/env bash
# elysia 1.4.30: every route is "not found" if the host has fewer than four characters.
#
# In Docker Compose and Kubernetes, a server has the name of its service: `api`, `app` or `web`.
#
# Expected: the path of a request does not depend on its host.
# Seen: to find the path, Elysia searches for the first slash from index 11 of the URL, which is behind `http://` and four
# characters of the host. In http://api/users, the slash before the path is at index 10, so no path is found. With a port, as
# in http://api:3000/, or with a longer name, all is well, so it first happens between containers on port 80.
# `new Elysia({ handler: { standardHostname: false } })` searches from index 7.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund elysia@1.4.30 @sinclair/typebox@0.34.52 >/dev/null
cat >hosts.mjs <<'JS'
import { Elysia } from 'elysia'

const routes = (app) => app.get('/users', () => 'users')
const apps = {
  'new Elysia()': routes(new Elysia()),
  'standardHostname: false': routes(new Elysia({ handler: { standardHostname: false } })),
}
for (const name in apps)
  for (const url of ['http://api/users', 'http://api:3000/users', 'http://apis/users']) {
    const response = await apps[name].handle(new Request(url))
    console.log(`${name}: ${url} -> ${response.status} ${await response.text()}`)
  }
process.exit(0)
JS
seen=$(node hosts.mjs)
printf '%s\n' "$seen"

# The output of version 1.4.30:
diff <(printf '%s\n' "$seen") - <<'EOF'
new Elysia(): http://api/users -> 404 NOT_FOUND
new Elysia(): http://api:3000/users -> 200 users
new Elysia(): http://apis/users -> 200 users
standardHostname: false: http://api/users -> 200 users
standardHostname: false: http://api:3000/users -> 200 users
standardHostname: false: http://apis/users -> 200 users
EOF
