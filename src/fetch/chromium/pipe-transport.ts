import type { Readable, Writable } from 'node:stream'

import type { ConnectOverCDPTransport } from 'playwright-core'

import { createReceiver, type DevToolsTransport } from './devtools-transport.ts'

/** The DevTools protocol over a pair of pipes: JSON messages, each terminated by NUL. */
export function createPipeTransport(toChromium: Writable, fromChromium: Readable): DevToolsTransport {
  let isOpen = true
  let fault: string | null = null
  let onMessage: ConnectOverCDPTransport['onmessage']
  let onClose: ConnectOverCDPTransport['onclose']
  const transport: DevToolsTransport = {
    isOpen: () => isOpen,
    fault: () => fault,
    // Reading starts here, because messages that arrive without a handler would be lost.
    set onmessage(handler: NonNullable<ConnectOverCDPTransport['onmessage']>) {
      onMessage = handler
      if (fromChromium.listenerCount('data') === 0) fromChromium.on('data', read)
    },
    // If Chromium exits immediately, its pipes may have closed before this handler was set.
    set onclose(handler: NonNullable<ConnectOverCDPTransport['onclose']>) {
      onClose = handler
      if (!isOpen) queueMicrotask(() => onClose?.())
    },
    send: (message) => void toChromium.write(`${JSON.stringify(message)}\0`),
    close: () => void toChromium.end(),
  }
  // Either pipe may close first; `onclose` must be called exactly once.
  const close = () => {
    if (!isOpen) return
    isOpen = false
    onClose?.()
  }
  const receiver = createReceiver({
    transport,
    onMessage: (message) => onMessage?.(message),
    onFault(text) {
      fault ??= text
      close()
    },
  })

  const read = (chunk: Buffer) => {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(0, start)
      if (isOpen) receiver.append(chunk.subarray(start, end < 0 ? undefined : end))
      if (end < 0 || !isOpen) return
      void receiver.end()
      start = end + 1
    }
  }
  fromChromium.on('close', close).on('error', close)
  toChromium.on('error', close)
  return transport
}
