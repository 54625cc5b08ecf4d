import type { Readable, Writable } from 'node:stream'

import type { ConnectOverCDPTransport } from 'playwright-core'

import { MAX_DEVTOOLS_RESPONSE_BYTES } from '../limits.ts'
import { createMessageFilter, interruptionOf } from './message-filter.ts'

/** The DevTools protocol over a pair of pipes: JSON messages, each terminated by NUL. */
export interface PipeTransport extends ConnectOverCDPTransport {
  /** False once Chromium has ended. */
  isOpen(): boolean
  /** A description of an invalid message from Chromium; null if there was none. */
  fault(): string | null
}

/**
 * Larger events are dropped. Pages control the size of some, such as those with POST data; normal ones are far smaller.
 */
const MAX_EVENT_BYTES = 1024 * 1024

/** The part of an invalid message that is logged. */
const MAX_SHOWN_BYTES = 40

/** Every event starts with this, and no response does. */
const EVENT_START = Buffer.from('{"method":')

/**
 * Messages over the limit are dropped. The browser is kept, because it also renders other pages; the page that caused
 * the message times out.
 */
export function createPipeTransport(toChromium: Writable, fromChromium: Readable): PipeTransport {
  let isOpen = true
  let fault: string | null = null
  let onMessage: ConnectOverCDPTransport['onmessage']
  let onClose: ConnectOverCDPTransport['onclose']
  const transport: PipeTransport = {
    isOpen: () => isOpen,
    fault: () => fault,
    // Reading starts here, because messages that arrive without a handler would be lost.
    set onmessage(handler: NonNullable<ConnectOverCDPTransport['onmessage']>) {
      onMessage = handler
      if (fromChromium.listenerCount('data') === 0) fromChromium.on('data', read)
    },
    // A Chromium that ends at once may have closed its pipes before anyone listened.
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
  const isTooLong = () => {
    if (size <= MAX_EVENT_BYTES) return false
    return size > MAX_DEVTOOLS_RESPONSE_BYTES || startsWith(parts, EVENT_START)
  }
  const append = (part: Buffer) => {
    if (isDropped) return
    size += part.length
    parts.push(part)
    if (!isTooLong()) return
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
      // Playwright's handler is asynchronous, despite its type. Its rejections would end this process if not awaited.
      await onMessage?.(messageOf(message))
    } catch {
      // The browser is not used any more.
      fault ??= `it sent an invalid DevTools message: ${JSON.stringify(message.toString('latin1', 0, MAX_SHOWN_BYTES))}`
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

/** @throws Error when it is neither a response nor an event */
function messageOf(bytes: Buffer): object {
  const message: unknown = JSON.parse(bytes.toString())
  const { id, method, params = {} } = Object(message) as Record<string, unknown>
  const isEvent = id === undefined && typeof method === 'string' && params instanceof Object
  if (!isEvent && !Number.isInteger(id)) throw new Error('neither a response nor an event')
  return message as object
}

function startsWith(parts: readonly Buffer[], start: Buffer): boolean {
  // The first chunks may be as short as one byte.
  const head = parts[0]!.length >= start.length ? parts[0]! : Buffer.concat(parts.slice(0, start.length))
  return head.subarray(0, start.length).equals(start)
}
