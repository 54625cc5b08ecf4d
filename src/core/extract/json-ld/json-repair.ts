import {
  APOSTROPHE,
  BACKSLASH,
  COMMA,
  LEFT_BRACE,
  LEFT_BRACKET,
  QUOTE,
  RIGHT_BRACE,
  RIGHT_BRACKET,
  SLASH,
  SPACE,
} from '../reading/ascii.ts'
import { stringEnd } from './json-value-count.ts'

const ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrtu', (character) => character.charCodeAt(0)))
const ASTERISK = 0x2a

/**
 * Repairs common errors in JSON: raw line breaks in strings, invalid escapes, trailing commas, comments, single quotes,
 * and closing brackets after the end of the value. One pass; the output is at most twice as long as the input.
 */
export function repairedJson(text: string): string {
  const units = new Uint16Array(2 * text.length)
  let length = 0
  let depth = 0
  let at = 0
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE || unit === APOSTROPHE) {
      const end = stringEnd(text, at)
      length = writeString(text, at + 1, end, units, length)
      at = end + 1
      continue
    }
    const comment = unit === SLASH ? commentEnd(text, at) : at
    if (comment > at) {
      at = comment
      continue
    }
    if (unit !== COMMA || !closesNext(text, at + 1)) units[length++] = unit
    at++
    if (unit === LEFT_BRACE || unit === LEFT_BRACKET) depth++
    else if (unit === RIGHT_BRACE || unit === RIGHT_BRACKET) {
      depth--
      if (depth === 0) break
    }
  }
  return new TextDecoder('utf-16le').decode(units.subarray(0, length))
}

/** Writes a string with double quotes; returns the new length of the output. */
function writeString(text: string, from: number, to: number, units: Uint16Array, start: number): number {
  let length = start
  units[length++] = QUOTE
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) units[length++] = BACKSLASH
    if (unit !== BACKSLASH) units[length++] = unit < SPACE ? SPACE : unit
    else if (ESCAPES.has(text.charCodeAt(at + 1))) {
      units[length++] = unit
      units[length++] = text.charCodeAt(++at)
    }
  }
  if (to < text.length) units[length++] = QUOTE
  return length
}

/** The position after the comment that begins at `at`; `at` itself if there is none. */
function commentEnd(text: string, at: number): number {
  const next = text.charCodeAt(at + 1)
  const close = next === SLASH ? '\n' : next === ASTERISK ? '*/' : ''
  if (close === '') return at
  const end = text.indexOf(close, at + 2)
  return end < 0 ? text.length : end + close.length
}

/** Whether the next character that is not white space closes an object or array. */
function closesNext(text: string, from: number): boolean {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++
  const unit = text.charCodeAt(at)
  return unit === RIGHT_BRACE || unit === RIGHT_BRACKET
}
