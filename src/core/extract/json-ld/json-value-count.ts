import { BACKSLASH, COMMA, LEFT_BRACE, LEFT_BRACKET, QUOTE, RIGHT_BRACE, RIGHT_BRACKET } from '../reading/ascii.ts'

/**
 * Approximate number of values in JSON text; null when their number or depth exceeds the limits. Parsing half a megabyte
 * of small objects with different properties takes a hundred times longer than parsing one long string.
 */
export function countJsonValues(json: string, limits: { depth: number; values: number }): number | null {
  let values = 0
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) at = closingQuote(json, at + 1)
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

/** The position of the quote that ends a string, or of the end of the text. */
function closingQuote(json: string, from: number): number {
  let at = from
  for (;;) {
    const end = json.indexOf('"', at)
    if (end < 0) return json.length
    // A quote after an odd number of backslashes is escaped.
    let backslashes = end
    while (backslashes > at && json.charCodeAt(backslashes - 1) === BACKSLASH) backslashes--
    if ((end - backslashes) % 2 === 0) return end
    at = end + 1
  }
}
