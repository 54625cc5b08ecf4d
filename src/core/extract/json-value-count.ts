import { BACKSLASH, COMMA, LEFT_BRACE, LEFT_BRACKET, QUOTE, RIGHT_BRACE, RIGHT_BRACKET } from './ascii.ts'

/** Limits for JSON text, checked before it is parsed. */
export interface JsonLimits {
  depth: number
  values: number
}

/**
 * Approximate number of values in JSON text; null when the number or their depth exceeds the limits. JSON.parse takes a
 * hundred times longer for half a megabyte of small objects with different properties than for one long string.
 */
export function countJsonValues(json: string, limits: JsonLimits): number | null {
  let values = 0
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) at = stringEnd(json, at + 1)
    else if (unit === COMMA) values++
    else if (unit === LEFT_BRACE || unit === LEFT_BRACKET) {
      values++
      depth++
      if (depth > limits.depth) return null
    } else if (unit === RIGHT_BRACE || unit === RIGHT_BRACKET) depth--
    if (values > limits.values) return null
  }
  return values
}

/** Position of the quote that closes a string. */
function stringEnd(json: string, from: number): number {
  let at = from
  while (at < json.length) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) return at
    at += unit === BACKSLASH ? 2 : 1
  }
  return at
}
