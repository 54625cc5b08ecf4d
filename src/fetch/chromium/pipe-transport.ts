import type { Readable, Writable } from 'node:stream'

import { createTransport, type DevToolsTransport } from './devtools-transport.ts'

/** The DevTools protocol over a pair of pipes: JSON messages, each terminated by NUL. */
export function createPipeTransport(toChromium: Writable, fromChromium: Readable): DevToolsTransport {
  const { transport, close, append, endMessage } = createTransport({
    send: (text) => void toChromium.write(`${text}\0`),
    end: () => void toChromium.end(),
    onHandler: () => void fromChromium.on('data', read),
  })

  function read(chunk: Buffer) {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(0, start)
      if (transport.isOpen()) append(chunk.subarray(start, end < 0 ? undefined : end))
      if (end < 0 || !transport.isOpen()) return
      void endMessage()
      start = end + 1
    }
  }
  // Either pipe may close first.
  fromChromium.on('close', close).on('error', close)
  toChromium.on('error', close)
  return transport
}
