import { MAX_DEVTOOLS_RESPONSE_BYTES } from '../../../src/fetch/chromium/limits.ts'

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE
const event = (method: string) => `{"method":"${method}","params":{"x":"`

/** DevTools messages by their start and the length of the rest, and whether they are delivered. */
export const LONG_MESSAGES: [name: string, start: string, length: number, isHeard: boolean][] = [
  ['console output', event('Runtime.consoleAPICalled'), 20 * MEGABYTE, false],
  ['a request with its body', event('Fetch.requestPaused'), 20 * MEGABYTE, false],
  ['an event just over the limit', event('Page.frameNavigated'), MEGABYTE, false],
  ['an event at the limit', event('Page.frameNavigated'), MEGABYTE - KILOBYTE, true],
  ['a response over the limit', '{"id":1,"result":{"x":"', MAX_DEVTOOLS_RESPONSE_BYTES, false],
  ['a response at the limit', '{"id":1,"result":{"x":"', MAX_DEVTOOLS_RESPONSE_BYTES - KILOBYTE, true],
]

/** A message in parts of 64 KB, the first of which has only `firstBytes` bytes. */
export function partsOf(start: string, length: number, firstBytes = 5): Buffer[] {
  const message = Buffer.concat([Buffer.from(start), Buffer.alloc(length, 'x'), Buffer.from('"}}')])
  const parts = [message.subarray(0, firstBytes)]
  for (let at = firstBytes; at < message.length; at += 64 * KILOBYTE)
    parts.push(message.subarray(at, at + 64 * KILOBYTE))
  return parts
}
