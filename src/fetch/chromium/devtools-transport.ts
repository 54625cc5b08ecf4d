import type { ConnectOverCDPTransport } from 'playwright-core'

import { MAX_DEVTOOLS_RESPONSE_BYTES } from './limits.ts'
import { createMessageFilter, interruptionOf } from './message-filter.ts'

/** A DevTools connection, which exchanges JSON messages with Chromium. */
export interface DevToolsTransport extends ConnectOverCDPTransport {
  /** False once the connection is closed. */
  isOpen(): boolean
  /** A description of an invalid message from Chromium; null if there was none. */
  fault(): string | null
}

/**
 * Larger events are dropped. Pages control the size of some events, such as those with POST data. Most events are far
 * smaller.
 */
const MAX_EVENT_BYTES = 1024 * 1024

/** Every event starts with these bytes; no response does. */
const EVENT_START = Buffer.from('{"method":')

/** The length up to which an invalid message is logged. */
const MAX_SHOWN_BYTES = 40

interface Connection {
  send: (text: string) => void
  end: () => void
  /** Called when the first handler is set: messages that arrive before that are lost. */
  onHandler?: () => void
  /**
   * Called once: when the connection closes, or after an invalid message, because the browser is then no longer used.
   */
  onClosed?: () => void
}

/**
 * Receives messages in parts of any size. Messages that are too long are dropped while they arrive. The browser is
 * kept, because it also renders other pages; the page that caused the message times out.
 */
export function createTransport({ send, end, onHandler = () => {}, onClosed = () => {} }: Connection) {
  let isOpen = true
  let fault: string | null = null
  let onMessage: ConnectOverCDPTransport['onmessage']
  let onClose: ConnectOverCDPTransport['onclose']
  let parts: Buffer[] = []
  let size = 0
  let isDropped = false
  const transport: DevToolsTransport = {
    isOpen: () => isOpen,
    fault: () => fault,
    set onmessage(handler: NonNullable<ConnectOverCDPTransport['onmessage']>) {
      const isFirst = onMessage === undefined
      onMessage = handler
      if (isFirst) onHandler()
    },
    // The connection may have closed before this handler was set.
    set onclose(handler: NonNullable<ConnectOverCDPTransport['onclose']>) {
      onClose = handler
      if (!isOpen) queueMicrotask(() => onClose?.())
    },
    send(message) {
      if (isOpen) send(JSON.stringify(message))
    },
    close() {
      if (isOpen) end()
    },
  }
  const isAccepted = createMessageFilter((session) => transport.send(interruptionOf(session)))

  /** Several events may report the end of a connection. */
  function close(): void {
    if (!isOpen) return
    isOpen = false
    onClosed()
    onClose?.()
  }

  return {
    transport,
    close,
    append(part: Buffer): void {
      if (isDropped || part.length === 0) return
      size += part.length
      parts.push(part)
      if (!isTooLong(size, parts)) return
      isDropped = true
      parts = []
    },
    async endMessage(): Promise<void> {
      const message = isDropped ? null : Buffer.concat(parts)
      parts = []
      size = 0
      isDropped = false
      if (message === null || !isOpen || !isAccepted(message)) return
      try {
        // Playwright's handler is asynchronous, despite its type. A rejection that is not awaited crashes the process.
        await (onMessage?.(parseMessage(message)) as unknown)
      } catch {
        const shown = JSON.stringify(message.toString('latin1', 0, MAX_SHOWN_BYTES))
        fault ??= `it sent an invalid DevTools message: ${shown}`
        close()
      }
    },
  }
}

/** Whether to drop a message, given the parts that have arrived. */
function isTooLong(sizeBytes: number, parts: readonly Buffer[]): boolean {
  if (sizeBytes <= MAX_EVENT_BYTES) return false
  if (sizeBytes > MAX_DEVTOOLS_RESPONSE_BYTES) return true
  // Each part may be as short as one byte.
  const { length } = EVENT_START
  const start = parts[0]!.length < length ? Buffer.concat(parts.slice(0, length)) : parts[0]!
  return start.subarray(0, length).equals(EVENT_START)
}

/** @throws Error when the message is neither a response nor an event */
function parseMessage(bytes: Buffer): object {
  const message: unknown = JSON.parse(bytes.toString())
  const { id, method, params = {} } = Object(message) as Record<string, unknown>
  const isEvent = id === undefined && typeof method === 'string' && params instanceof Object
  if (!isEvent && !Number.isInteger(id)) throw new Error('neither a response nor an event')
  return message as object
}
