#!/usr/bin/env bash
# bun 1.4.5: a second query of a dns.Resolver for the same name waits for the first one instead of being sent.
#
# A DNS packet can be lost. A client that does not want to wait for the next attempt of the resolver asks again after
# a moment, with the same Resolver of node:dns, and takes the first response.
#
# Expected: each call of resolve4() sends a query, as in Node, and the second one is answered at once.
# Seen: a call for a name and type that is pending in the same Resolver joins it. The server gets one packet, and both calls
# end when the resolver repeats the first one after its timeout. A second Resolver asks independently.
#
# The server of this script does not answer the first query, and answers every other one at once.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 dns-packet@5.6.1 >/dev/null
cat >ask.mjs <<'JS'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { promises as dns } from 'node:dns'
import packet from 'dns-packet'

const server = createSocket('udp4')
let received = 0
server.on('message', (message, { port, address }) => {
  if (++received === 1) return
  const { id, questions } = packet.decode(message)
  const answers = [{ type: 'A', name: questions[0].name, ttl: 60, data: '192.0.2.1' }]
  server.send(packet.encode({ type: 'response', id, questions, answers }), port, address)
})
server.bind(0, '127.0.0.1')
await once(server, 'listening')

function openResolver() {
  const resolver = new dns.Resolver({ timeout: 3_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return resolver
}
const runtime = process.versions.bun ? 'bun ' : 'node'
const first = openResolver()
for (const [name, second] of Object.entries({ same: first, other: openResolver() })) {
  received = 0
  const host = `${name}.example`
  const startedAt = performance.now()
  const pending = first.resolve4(host)
  await new Promise((resolve) => setTimeout(resolve, 200))
  await Promise.any([pending, second.resolve4(host)])
  const isFast = performance.now() - startedAt < 2_000
  console.log(`${runtime} the ${name} Resolver: ${isFast ? 'the second query was answered' : 'waited for the timeout'}`)
  await pending
}
process.exit(0)
JS
seen=$(node ask.mjs; ./node_modules/.bin/bun ask.mjs)
printf '%s\n' "$seen"

# The output of Node 20.20.2 and Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
node the same Resolver: the second query was answered
node the other Resolver: the second query was answered
bun  the same Resolver: waited for the timeout
bun  the other Resolver: the second query was answered
EOF
