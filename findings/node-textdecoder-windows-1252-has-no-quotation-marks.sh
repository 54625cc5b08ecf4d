#!/usr/bin/env bash
# Node 24.9.0: TextDecoder('windows-1252') returns control characters for quotation marks, dashes and the euro sign.
#
# Browsers read most pages without a declared encoding as windows-1252, and the labels iso-8859-1 and latin1 mean it too
# (WHATWG Encoding Standard). It differs from Latin-1 only in the bytes 0x80 to 0x9F.
#
# Expected: “5 €” – as in browsers, in Bun and in Node 22.12.
# Seen: these bytes become U+0080 to U+009F. The characters are invisible, so a title only looks a little short. Node has used
# its decoder for Latin-1 for this label since versions 20.18.3 and 22.13 (https://github.com/nodejs/node/issues/60888), and
# 25.9 decodes correctly again. windows-1250, in which the same bytes stand for the same characters, was not affected.
#
# Needs npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >decode.mjs <<'JS'
const bytes = Uint8Array.from([0x93, 0x35, 0x20, 0x80, 0x94, 0x20, 0x96])
for (const label of ['windows-1252', 'iso-8859-1', 'windows-1250'])
  console.log(`${process.version} ${label}: ${JSON.stringify(new TextDecoder(label, { fatal: true }).decode(bytes))
    .replace(/[\x80-\x9f]/g, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)}`)
JS
for version in 22.12.0 24.9.0 25.9.0; do
  npm install --silent --no-audit --no-fund --prefix "$version" "node@$version" >/dev/null
done
seen=$(for version in 22.12.0 24.9.0 25.9.0; do "$version/node_modules/.bin/node" decode.mjs; done)
printf '%s\n' "$seen"

# The output of these versions:
diff <(printf '%s\n' "$seen") - <<'EOF'
v22.12.0 windows-1252: "“5 €” –"
v22.12.0 iso-8859-1: "“5 €” –"
v22.12.0 windows-1250: "“5 €” –"
v24.9.0 windows-1252: "\u00935 \u0080\u0094 \u0096"
v24.9.0 iso-8859-1: "\u00935 \u0080\u0094 \u0096"
v24.9.0 windows-1250: "“5 €” –"
v25.9.0 windows-1252: "“5 €” –"
v25.9.0 iso-8859-1: "“5 €” –"
v25.9.0 windows-1250: "“5 €” –"
EOF
