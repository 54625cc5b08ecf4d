import type { Readable, Writable } from 'node:stream'

import type { ConnectOverCDPTransport } from 'playwright-core'

import { EVENT_START, faultOf, isTooLong, parseMessage, type DevToolsTransport } from './devtools-transport.ts'
import { createMessageFilter, interruptionOf } from './message-filter.ts'

/**
 * The DevTools protocol over a pair of pipes: JSON messages, each terminated by NUL. Messages over the limit are dropped.
 * The browser is kept, because it also renders other pages; the page that caused the message times out.
 */
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
  const filter = createMessageFilter((session) => transport.send(interruptionOf(session)))
  let parts: Buffer[] = []
  let size = 0
  let isDropped = false

  // Either pipe may close first; `onclose` must be called exactly once.
  const close = () => {
    if (!isOpen) return
    isOpen = false
    parts = []
    onClose?.()
  }
  const append = (part: Buffer) => {
    if (isDropped) return
    size += part.length
    parts.push(part)
    if (!isTooLong(size, () => startsWith(parts, EVENT_START))) return
    isDropped = true
    parts = []
  }
  const deliver = () => {
    const message = isDropped ? null : Buffer.concat(parts)
    parts = []
    size = 0
    isDropped = false
    if (message !== null && filter.accepts(message)) void pass(message)
  }
  const pass = async (message: Buffer) => {
    try {
      // Playwright's handler is asynchronous, despite its type. A rejection that is not awaited would crash this
      // process.
      await onMessage?.(parseMessage(message))
    } catch {
      // The browser is no longer used.
      fault ??= faultOf(message)
      close()
    }
  }

  const read = (chunk: Buffer) => {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(0, start)
      if (isOpen) append(chunk.subarray(start, end < 0 ? undefined : end))
      if (end < 0 || !isOpen) return
      deliver()
      start = end + 1
    }
  }
  fromChromium.on('close', close).on('error', close)
  toChromium.on('error', close)
  return transport
}

function startsWith(parts: readonly Buffer[], start: Buffer): boolean {
  // The first chunks may be as short as one byte.
  const head = parts[0]!.length >= start.length ? parts[0]! : Buffer.concat(parts.slice(0, start.length))
  return head.subarray(0, start.length).equals(start)
}
