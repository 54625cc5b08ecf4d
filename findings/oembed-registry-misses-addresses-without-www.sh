#!/usr/bin/env bash
# oembed-providers 1.0.20260604: the registry of oembed.com has no pattern for https://youtube.com/watch?v=….
#
# The registry says by URL patterns which oEmbed endpoint knows a page. A consumer compares each link of its users with them.
#
# Expected: the addresses that people paste are covered, with and without www, and with https.
# Seen: for videos, YouTube has only https://*.youtube.com/watch*, and a wildcard in a host stands for a subdomain (oembed.com,
# section 2.1). So the address without www has no provider, while the same entry lists shorts, playlists and live streams
# both with and without it. Of 379 providers with patterns, 44 have patterns for http only. A consumer that compares
# literally misses these pages; it needs rules of its own, such as that http and https are equal.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund oembed-providers@1.0.20260604 >/dev/null
cat >match.cjs <<'JS'
const providers = require('oembed-providers')

const patternsOf = ({ endpoints }) => endpoints.flatMap(({ schemes = [] }) => schemes)
const escaped = (text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
const matches = (pattern, url) => new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`).test(url)
for (const url of [
  'https://www.youtube.com/watch?v=aqz-KE-bpKQ',
  'https://youtube.com/watch?v=aqz-KE-bpKQ',
  'https://youtube.com/shorts/aqz-KE-bpKQ',
  'https://youtu.be/aqz-KE-bpKQ',
]) {
  const found = providers.filter((provider) => patternsOf(provider).some((pattern) => matches(pattern, url)))
  console.log(`${url}: ${found.map((provider) => provider.provider_name).join(', ') || 'no provider'}`)
}
const withPatterns = providers.filter((provider) => patternsOf(provider).length > 0)
const isHttp = (pattern) => pattern.startsWith('http://')
const httpOnly = withPatterns.filter((provider) => patternsOf(provider).every(isHttp))
console.log(`${httpOnly.length} of ${withPatterns.length} providers have patterns for http only`)
JS
seen=$(node match.cjs)
printf '%s\n' "$seen"

# The output of version 1.0.20260604:
diff <(printf '%s\n' "$seen") - <<'EOF'
https://www.youtube.com/watch?v=aqz-KE-bpKQ: YouTube
https://youtube.com/watch?v=aqz-KE-bpKQ: no provider
https://youtube.com/shorts/aqz-KE-bpKQ: YouTube
https://youtu.be/aqz-KE-bpKQ: YouTube
44 of 379 providers have patterns for http only
EOF
