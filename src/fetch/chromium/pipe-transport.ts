import type { Readable, Writable } from 'node:stream'

import type { ConnectOverCDPTransport } from 'playwright-core'

import { MAX_DEVTOOLS_ANSWER_BYTES } from '../limits.ts'
import { createMessageFilter, interruptionOf } from './message-filter.ts'

/** DevTools over a pair of pipes: JSON texts, each ended by a NUL. */
export interface PipeTransport extends ConnectOverCDPTransport {
  /** False once Chromium has ended. */
  isOpen(): boolean
}

/** Pages decide how long some events are, such as those that tell what is posted; no honest one comes near this. */
const MAX_EVENT_BYTES = 1024 * 1024

/** What every event starts with, and no answer does. */
const EVENT_START = Buffer.from('{"method":')

/**
 * What is longer than it may be is dropped, not held against Chromium, which has pages of others too: the page that
 * has caused it waits in vain, until its time is up.
 */
export function createPipeTransport(toChromium: Writable, fromChromium: Readable): PipeTransport {
  let isOpen = true
  const transport: PipeTransport = {
    isOpen: () => isOpen,
    send: (message) => void toChromium.write(`${JSON.stringify(message)}\0`),
    close: () => void toChromium.end(),
  }
  const filter = createMessageFilter((session) => transport.send(interruptionOf(session)))
  let parts: Buffer[] = []
  let size = 0
  let isDropped = false

  // Playwright must hear once that the other side is gone, whichever pipe breaks first.
  const close = () => {
    if (!isOpen) return
    isOpen = false
    parts = []
    transport.onclose?.()
  }
  const isTooLong = () => {
    if (size <= MAX_EVENT_BYTES) return false
    return size > MAX_DEVTOOLS_ANSWER_BYTES || startsWith(parts, EVENT_START)
  }
  const take = (part: Buffer) => {
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
    if (message !== null && filter.hears(message)) transport.onmessage?.(JSON.parse(message.toString()))
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

function startsWith(parts: readonly Buffer[], start: Buffer): boolean {
  // The first parts may be shorter than that, down to a byte.
  const head = parts[0]!.length >= start.length ? parts[0]! : Buffer.concat(parts.slice(0, start.length))
  return head.subarray(0, start.length).equals(start)
}
