#!/usr/bin/env bash
# chardetng 0.1.10 (chardetng-wasm 1.0.2): "Copyright © 2004" is taken for ISO-8859-2 and becomes "Copyright Š 2004".
#
# chardetng is the detector of Firefox for pages that declare no encoding. Many of these are old English pages, whose only
# bytes beyond ASCII are in a copyright sign, a price or a row of dashes.
#
# Expected: windows-1252, the default of browsers for most languages. A single sign between blanks says nothing else.
# Seen: the guess is an encoding in which the bytes are letters: "£ 20" becomes "Ł 20", and a line of dashes becomes one of the
# character 覧. "20 °C", "§ 12" and "café" are read correctly. A guess should only be used if the text has several letters
# beyond ASCII.
#
# The functions of the WebAssembly module are called directly, because the package's entry points need a bundler.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund chardetng-wasm@1.0.2 >/dev/null
cat >guess.mjs <<'JS'
import { readFileSync } from 'node:fs'

const file = readFileSync('node_modules/chardetng-wasm/dist/chardetng_wasm_bg.wasm')
const imports = { './chardetng_wasm_bg.js': { __wbindgen_throw() {} } }
const wasm = new WebAssembly.Instance(new WebAssembly.Module(file), imports).exports

/** The guess for a whole text, for the domain com and without UTF-8, as for a page with bytes that UTF-8 does not have. */
function guess(bytes) {
  const domain = Buffer.from('com')
  const passed = (content) => {
    const address = wasm.__wbindgen_malloc(content.length)
    new Uint8Array(wasm.memory.buffer).set(content, address)
    return address
  }
  const detector = wasm.encodingdetector_new()
  wasm.encodingdetector_feed(detector, passed(bytes), bytes.length, 1)
  const result = wasm.__wbindgen_add_to_stack_pointer(-16)
  wasm.encodingdetector_guess(result, detector, passed(domain), domain.length, 0)
  const [address, length] = new Uint32Array(wasm.memory.buffer, result, 2)
  return Buffer.from(wasm.memory.buffer, address, length).toString()
}

const DASH = '\x97'
for (const text of ['Copyright \xa9 2004', '\xa3 20', DASH.repeat(20), '20 \xb0C', '\xa7 12', 'caf\xe9']) {
  const bytes = Buffer.from(text, 'latin1')
  const encoding = guess(bytes)
  console.log(`${encoding}: ${new TextDecoder(encoding === 'windows-1252' ? 'latin1' : encoding).decode(bytes)}`)
}
JS
seen=$(node guess.mjs)
printf '%s\n' "$seen"

# The output of version 1.0.2:
diff <(printf '%s\n' "$seen") - <<'EOF'
ISO-8859-2: Copyright Š 2004
windows-1250: Ł 20
Shift_JIS: 覧覧覧覧覧覧覧覧覧覧
windows-1252: 20 °C
windows-1252: § 12
windows-1252: café
EOF
