import type { Readable, Writable } from 'node:stream'

import type { ConnectOverCDPTransport } from 'playwright-core'

/** DevTools over a pair of pipes: JSON texts, each ended by a NUL. */
export interface PipeTransport extends ConnectOverCDPTransport {
  /** False once Chromium has ended. */
  isOpen(): boolean
}

/** The largest honest message is a page of two million characters, of which JSON may write each with six. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * What a page can make Chromium send without end: console output and uncaught errors. Nobody here wants to know, and
 * parsing it would keep the service from its other work.
 */
const CHATTER = ['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded', 'Audits.issueAdded'].map(
  (method) => Buffer.from(`{"method":"${method}"`),
)

/** @param abandon ends Chromium, when what it sends is out of all bounds */
export function createPipeTransport(toChromium: Writable, fromChromium: Readable, abandon: () => void): PipeTransport {
  let isOpen = true
  const transport: PipeTransport = {
    isOpen: () => isOpen,
    send: (message) => void toChromium.write(`${JSON.stringify(message)}\0`),
    close: () => void toChromium.end(),
  }
  let parts: Buffer[] = []
  let size = 0

  // Playwright must hear once that the other side is gone, whichever pipe breaks first.
  const close = () => {
    if (!isOpen) return
    isOpen = false
    parts = []
    transport.onclose?.()
  }
  const take = (part: Buffer) => {
    size += part.length
    parts.push(part)
    if (size <= MAX_MESSAGE_BYTES) return
    abandon()
    close()
  }
  const deliver = () => {
    const message = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    parts = []
    size = 0
    if (CHATTER.some((start) => message.subarray(0, start.length).equals(start))) return
    transport.onmessage?.(JSON.parse(message.toString()))
  }

  fromChromium.on('data', (chunk: Buffer) => {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(0, start)
      if (isOpen) take(chunk.subarray(start, end < 0 ? undefined : end))
      if (end < 0 || !isOpen) return
      deliver()
      start = end + 1
    }
  })
  fromChromium.on('close', close).on('error', close)
  toChromium.on('error', close)
  return transport
}
