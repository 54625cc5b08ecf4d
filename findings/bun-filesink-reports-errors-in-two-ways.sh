#!/usr/bin/env bash
# bun 1.4.5: FileSink.write() of 4 KB or more fails by a promise, and the flush() after it succeeds.
#
# `Bun.file(path).writer()` and `Bun.stdout.writer()` return a FileSink, for example for the lines of a log. Its write()
# puts bytes into a buffer and returns their number, and flush() writes the buffer.
#
# Expected: if the disk is full, flush() fails, whatever the length of the text. A logger that handles errors of flush()
# sees every failure.
# Seen: this is so for a text of up to 4,095 bytes. A longer one is written by write(), which then returns a promise that
# rejects, although its type is `number`, and flush() returns 0 as if there had been nothing to write. A logger that ignores
# the result of write() takes the line for written, and the process gets an unhandled rejection.
#
# Needs Node, npm and Linux, whose /dev/full is a disk without space. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null
cat >write.js <<'JS'
const outcome = async (act) => {
  try {
    const result = act()
    if (!(result instanceof Promise)) return `returns ${result}`
    return await result.then((value) => `resolves with ${value}`, (error) => `rejects with ${error.code}`)
  } catch (error) {
    return `throws ${error.code}`
  }
}

for (const length of [100, 4_095, 4_096, 70_000]) {
  const sink = Bun.file('/dev/full').writer()
  const written = await outcome(() => sink.write('x'.repeat(length)))
  const flushed = await outcome(() => sink.flush())
  console.log(`${length} bytes: write() ${written}, flush() ${flushed}`)
}
process.exit(0)
JS
seen=$(./node_modules/.bin/bun write.js)
printf '%s\n' "$seen"

# The output of version 1.4.5:
diff <(printf '%s\n' "$seen") - <<'EOF'
100 bytes: write() returns 100, flush() throws ENOSPC
4095 bytes: write() returns 4095, flush() throws ENOSPC
4096 bytes: write() rejects with ENOSPC, flush() returns 0
70000 bytes: write() rejects with ENOSPC, flush() returns 0
EOF
