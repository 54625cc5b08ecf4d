import { BACKSLASH, COMMA, LEFT_BRACE, LEFT_BRACKET, QUOTE, RIGHT_BRACE, RIGHT_BRACKET } from './ascii.ts'

/** How much JSON text may hold before it is parsed. */
export interface JsonLimits {
  depth: number
  values: number
}

/**
 * How many values JSON text holds, about; null when that or their depth is beyond the limits. JSON.parse takes a hundred
 * times longer for half a megabyte of small objects, each with properties of its own, than for as much text.
 */
export function valueCountOf(json: string, limits: JsonLimits): number | null {
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

/** Where the quote stands that closes a string. */
function stringEnd(json: string, from: number): number {
  let at = from
  while (at < json.length) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) return at
    at += unit === BACKSLASH ? 2 : 1
  }
  return at
}
