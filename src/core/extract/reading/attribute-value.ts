import { ENDS_VALUE } from './ascii.ts'

/** Values up to this length are searched byte by byte, which is faster than calling the native search. */
const SHORT_VALUE = 40

/** The position of the closing quote of the value whose opening quote is at `at`. */
export function quotedEnd(bytes: Uint8Array, at: number): number {
  const { length } = bytes
  const quote = bytes[at]!
  const near = Math.min(length, at + SHORT_VALUE)
  let end = at + 1
  while (end < near && bytes[end] !== quote) end++
  if (end < near || near === length) return end
  end = bytes.indexOf(quote, near)
  return end < 0 ? length : end
}

/** Slashes and quotes are part of an unquoted value. */
export function unquotedEnd(bytes: Uint8Array, at: number): number {
  const { length } = bytes
  let end = at
  while (end < length && ENDS_VALUE[bytes[end]!] === 0) end++
  return end
}
