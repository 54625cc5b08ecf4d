import { readFileSync } from 'node:fs'

import type * as Chardetng from 'chardetng-wasm/dist/chardetng_wasm_bg.wasm.d.ts'
import modulePath from 'chardetng-wasm/dist/chardetng_wasm_bg.wasm' with { type: 'file' }

const IMPORTS = { './chardetng_wasm_bg.js': { __wbindgen_throw() {} } }

/** A result is two numbers of 32 bits, an address and a length. The stack stays aligned to 16 bytes. */
const RESULT_BYTES = 16

let wasm: typeof Chardetng | undefined

/**
 * Guesses with chardetng, the detector of Firefox. The first call in a thread takes 5 ms and 1.2 MB. The package's own
 * JavaScript imports the WebAssembly module in a way that Bun does not support, so this calls the functions of the module.
 * By the conventions of wasm-bindgen, they free their arguments, and the caller frees results.
 */
export function guessEncoding(bytes: Uint8Array, topLevelDomain: string): string {
  wasm ??= new WebAssembly.Instance(new WebAssembly.Module(readFileSync(modulePath)), IMPORTS).exports as never
  const [text, domain] = [wasm.__wbindgen_malloc(bytes.length), wasm.__wbindgen_malloc(topLevelDomain.length)]
  new Uint8Array(wasm.memory.buffer).set(bytes, text)
  new Uint8Array(wasm.memory.buffer).set(Buffer.from(topLevelDomain), domain)
  const detector = wasm.encodingdetector_new()
  wasm.encodingdetector_feed(detector, text, bytes.length, 0)
  const result = wasm.__wbindgen_add_to_stack_pointer(-RESULT_BYTES)
  wasm.encodingdetector_guess(result, detector, domain, topLevelDomain.length, 0)
  const [address = 0, length = 0] = new Uint32Array(wasm.memory.buffer, result, 2)
  const guess = Buffer.from(wasm.memory.buffer, address, length).toString('latin1')
  wasm.__wbindgen_free(address, length)
  wasm.__wbindgen_add_to_stack_pointer(RESULT_BYTES)
  wasm.__wbg_encodingdetector_free(detector)
  return guess.toLowerCase()
}
