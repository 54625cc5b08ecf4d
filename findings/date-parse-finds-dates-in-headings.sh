#!/usr/bin/env bash
# bun 1.4.5 and Node 20: Date.parse() takes "Chapter 12" for a date, and does not know the zones BST and CET.
#
# Pages have dates in many forms, and `Date.parse(text)`, with NaN for "no date", is the shortest test for one.
#
# Expected: a text without a date gives NaN. A date as in a mail gives its time, whatever the zone. And Bun, whose engine
# is that of Safari, differs from Node in what the standard leaves to the implementation.
# Seen: both skip words, and take a number up to 12 for a month of 2001. Both know GMT and the zones of North America, as
# in RFC 822, and reject BST, CET and JST. Both accept 30 February in the standard's own format and move it to March, but
# reject the offset +05, which is valid in ISO 8601. Bun agrees with Node in all of these.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null
cat >parse.mjs <<'JS'
for (const text of [
  'Chapter 12',
  'Version 7',
  'Published: 3',
  'Chapter 13',
  'Tue, 05 Mar 2024 10:00:00 EST',
  'Tue, 05 Mar 2024 10:00:00 BST',
  'Tue, 05 Mar 2024 10:00:00 CET',
  '2024-02-30T10:00:00Z',
  '2024-02-29T10:00:00+05',
]) {
  const time = Date.parse(text)
  console.log(`${text}: ${Number.isNaN(time) ? 'NaN' : new Date(time).toISOString()}`)
}
JS
seen=$(TZ=UTC node parse.mjs)
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") <(TZ=UTC ./node_modules/.bin/bun parse.mjs)

# The output of Node 20.20.2 and of Bun 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
Chapter 12: 2001-12-01T00:00:00.000Z
Version 7: 2001-07-01T00:00:00.000Z
Published: 3: 2001-03-01T00:00:00.000Z
Chapter 13: NaN
Tue, 05 Mar 2024 10:00:00 EST: 2024-03-05T15:00:00.000Z
Tue, 05 Mar 2024 10:00:00 BST: NaN
Tue, 05 Mar 2024 10:00:00 CET: NaN
2024-02-30T10:00:00Z: 2024-03-01T10:00:00.000Z
2024-02-29T10:00:00+05: NaN
EOF
