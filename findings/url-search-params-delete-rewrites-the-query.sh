#!/usr/bin/env bash
# URL Standard, Node 20 and bun 1.4.5: searchParams.delete() of a name that a URL does not have rewrites its query.
#
# To compare or to cache URLs, one removes `utm_source` and the like: `url.searchParams.delete('utm_source')`.
#
# Expected: the other parameters stay as they are, and a URL without `utm_source` is unchanged.
# Seen: every call writes the whole query anew as application/x-www-form-urlencoded, also if it has removed nothing: `%20`
# becomes `+`, `(` becomes %28, `~` becomes %7E, and `flag` becomes `flag=`. A server that verifies a signature of its URLs, or
# for which `+` is a plus, gets another URL. It is what the standard says
# (https://url.spec.whatwg.org/#dom-urlsearchparams-delete). Chromium 156 does the same.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null
cat >delete.mjs <<'JS'
const url = new URL("https://shop.example/find?q=blue%20shoes&flag&filter=(size:~42)&sort='price'")
const before = url.search
url.searchParams.delete('utm_source')
console.log(`${process.versions.bun ? 'bun ' : 'node'} before: ${before}`)
console.log(`${process.versions.bun ? 'bun ' : 'node'} after:  ${url.search}`)
JS
seen=$(node delete.mjs; ./node_modules/.bin/bun delete.mjs)
printf '%s\n' "$seen"

# The output of Node 20.20.2 and Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
node before: ?q=blue%20shoes&flag&filter=(size:~42)&sort=%27price%27
node after:  ?q=blue+shoes&flag=&filter=%28size%3A%7E42%29&sort=%27price%27
bun  before: ?q=blue%20shoes&flag&filter=(size:~42)&sort=%27price%27
bun  after:  ?q=blue+shoes&flag=&filter=%28size%3A%7E42%29&sort=%27price%27
EOF
