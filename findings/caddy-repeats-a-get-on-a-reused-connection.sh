#!/usr/bin/env bash
# Caddy 2.6.2 (Debian 12): reverse_proxy sends a GET a second time, although retries are off.
#
# Without `lb_retries` and `lb_try_duration`, a request that fails at the upstream is answered with 502. An upstream that
# counts or charges GET requests relies on that.
#
# Expected: the upstream gets each request once. It closes the second request's connection without a response, so the client
# gets 502.
# Seen: with GET, the upstream gets the request again on a new connection, and the client gets 200. Go's HTTP client, below
# Caddy's own retries, repeats a request that fails on a reused connection if it is idempotent (net/http, type Transport).
# POST is not repeated.
#
# Needs Node, curl and Debian's caddy. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
caddy version >&2
cat >upstream.mjs <<'JS'
// Answers each request, except for the second one on the first connection after a start.
import { createServer } from 'node:net'
let connections = 0
const server = createServer((socket) => {
  const connection = ++connections
  let requests = 0
  socket.on('error', () => {})
  socket.on('data', (head) => {
    console.log(`connection ${connection}: ${head.toString().split(' HTTP')[0]}`)
    if (++requests === 2 && connection === 1) socket.destroy()
    else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
})
server.listen(process.argv[2])
JS
run() {
  node upstream.mjs "$dir/$1.sock" >"$1.log" &
  local upstream=$!
  cat >Caddyfile <<EOF
{
	admin off
}
http:// {
	bind unix/$dir/$1-caddy.sock
	reverse_proxy unix/$dir/$1.sock
}
EOF
  XDG_DATA_HOME=$dir XDG_CONFIG_HOME=$dir caddy run --config Caddyfile --adapter caddyfile 2>caddy.log &
  local caddy=$!
  for _ in $(seq 100); do [ -S "$1.sock" ] && [ -S "$1-caddy.sock" ] && break; sleep 0.1; done
  for path in one two; do
    curl -s -o /dev/null -w "$1 /$path: %{http_code}\n" --unix-socket "$1-caddy.sock" -X "$1" "http://localhost/$path"
  done
  kill "$upstream" "$caddy"
  cat "$1.log"
}
seen=$(run GET; run POST)
printf '%s\n' "$seen"

# The output of version 2.6.2:
diff <(printf '%s\n' "$seen") - <<'EOF'
GET /one: 200
GET /two: 200
connection 1: GET /one
connection 1: GET /two
connection 2: GET /two
POST /one: 200
POST /two: 502
connection 1: POST /one
connection 1: POST /two
EOF
