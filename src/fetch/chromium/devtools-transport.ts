import type { ConnectOverCDPTransport } from 'playwright-core'

import { MAX_DEVTOOLS_RESPONSE_BYTES } from '../limits.ts'

/** A DevTools connection, which exchanges JSON messages with Chromium. */
export interface DevToolsTransport extends ConnectOverCDPTransport {
  /** False once the connection is closed. */
  isOpen(): boolean
  /** A description of an invalid message from Chromium; null if there was none. */
  fault(): string | null
}

/**
 * Larger events are dropped. Pages control the size of some, such as those with POST data; normal ones are far smaller.
 */
const MAX_EVENT_BYTES = 1024 * 1024

/** Every event starts with this, and no response does. */
export const EVENT_START = Buffer.from('{"method":')

/** Whether a message, or the beginning of one, is so large that it is dropped. */
export function isTooLong(sizeBytes: number, isEvent: () => boolean): boolean {
  if (sizeBytes <= MAX_EVENT_BYTES) return false
  return sizeBytes > MAX_DEVTOOLS_RESPONSE_BYTES || isEvent()
}

/** @throws Error when it is neither a response nor an event */
export function parseMessage(bytes: Buffer): object {
  const message: unknown = JSON.parse(bytes.toString())
  const { id, method, params = {} } = Object(message) as Record<string, unknown>
  const isEvent = id === undefined && typeof method === 'string' && params instanceof Object
  if (!isEvent && !Number.isInteger(id)) throw new Error('neither a response nor an event')
  return message as object
}

/** The part of an invalid message that is logged. */
const MAX_SHOWN_BYTES = 40

/** Describes a message that `parseMessage` or Playwright rejects. */
export function faultOf(message: Buffer): string {
  return `it sent an invalid DevTools message: ${JSON.stringify(message.toString('latin1', 0, MAX_SHOWN_BYTES))}`
}
