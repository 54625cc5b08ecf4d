#!/usr/bin/env bash
# oauth4webapi 3.8.8: ClientSecretBasic percent-encodes the hyphens of a UUID.
#
# Many providers issue UUIDs as client ids, and secrets in base64url. RFC 6749 section 2.3.1 says that both are encoded
# as application/x-www-form-urlencoded before they are joined in the Authorization header.
#
# Expected: the encoding of the URL Standard, which does not change the characters `*`, `-`, `.` and `_`. A UUID and a
# secret in base64url would then be the same with the encoding and without it, and so also work with the many
# providers that do not decode the two values.
# Seen: `-`, `_` and `.` arrive as %2D, %5F and %2E. A provider that decodes them accepts the header. A provider that
# does not decode them knows no such client, although curl -u with the same id and secret works. Reported as
# https://github.com/panva/oauth4webapi/issues/148 and https://github.com/panva/oauth4webapi/issues/199.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix . oauth4webapi@3.8.8

cat > seen.mjs <<'EOF'
import { ClientSecretBasic } from 'oauth4webapi'

const [id, secret] = ['6f1c2a10-7d3b-4e52-9a61-0c8e5b7f1d22', 'not_a-real.secret']
const headers = new Headers()
ClientSecretBasic(secret)({ issuer: 'https://provider.example' }, { client_id: id }, new URLSearchParams(), headers)
const sent = atob(headers.get('authorization').replace('Basic ', ''))

const standard = (text) => new URLSearchParams({ '': text }).toString().slice(1)
console.log(`URL Standard: ${standard(id)}:${standard(secret)}`)
console.log(`oauth4webapi: ${sent}`)
EOF

seen=$(node seen.mjs)
printf '%s\n' "$seen"

# The output of version 3.8.8 on Node 20.20.2:
diff <(printf '%s\n' "$seen") - <<'EOF'
URL Standard: 6f1c2a10-7d3b-4e52-9a61-0c8e5b7f1d22:not_a-real.secret
oauth4webapi: 6f1c2a10%2D7d3b%2D4e52%2D9a61%2D0c8e5b7f1d22:not%5Fa%2Dreal%2Esecret
EOF
