#!/usr/bin/env bash
# commander 15.1.0: `DEBUG=false` turns on an option without a value that has .env('DEBUG').
#
# `new Option('--debug').env('DEBUG')` also takes the option from the environment. A container sets DEBUG=false or DEBUG=0.
#
# Expected: false, 0 and an empty value turn the option off, as a switch on the command line has no third state.
# Seen: any value turns it on, also an empty one; only without the variable it stays off. The value is ignored, because such
# an option has none. For the same reason, NO_COLOR=0 turns colors off if `--no-color` has .env('NO_COLOR').
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund commander@15.1.0 >/dev/null
cat >options.mjs <<'JS'
import { Command, Option } from 'commander'

for (const value of [undefined, '', '0', 'false', 'true']) {
  if (value !== undefined) process.env.APP_DEBUG = process.env.APP_NO_COLOR = value
  const program = new Command()
    .addOption(new Option('--debug').default(false).env('APP_DEBUG'))
    .addOption(new Option('--no-color').env('APP_NO_COLOR'))
    .parse([], { from: 'user' })
  console.log(`${JSON.stringify(value) ?? 'not set'}: ${JSON.stringify(program.opts())}`)
}
JS
seen=$(node options.mjs)
printf '%s\n' "$seen"

# The output of version 15.1.0:
diff <(printf '%s\n' "$seen") - <<'EOF'
not set: {"debug":false,"color":true}
"": {"debug":true,"color":false}
"0": {"debug":true,"color":false}
"false": {"debug":true,"color":false}
"true": {"debug":true,"color":false}
EOF
