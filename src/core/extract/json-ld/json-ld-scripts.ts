import { firstOf } from '../../first-of.ts'
import { parsedJson } from '../../json.ts'
import type { Range } from '../reading/range.ts'
import type { TextReader } from '../reading/text.ts'
import { countJsonValues } from './json-value-count.ts'
import { withPlainTerms } from './plain-terms.ts'

/** The maximum number of bytes of JSON-LD to parse in one page. Real pages rarely have more than 100 KB. */
export const MAX_JSON_LD_BYTES = 1_048_576

/** The maximum number of values in one page: objects take far more memory than their text. Long graphs have 3,000. */
export const MAX_JSON_LD_VALUES = 10_000

/** The maximum nesting of values. Relevant values are at most a dozen levels deep. */
export const MAX_JSON_LD_DEPTH = 100

const CDATA_START = '<![CDATA['
const CDATA_END = ']]>'

/** The first bracket, ignoring the brackets of a CDATA section. */
const FIRST_BRACKET = /\{|(?<!<!|CDATA)\[/

const BRACKET_OR_COMMA = /[[{,]/

const LAST_BRACKET = /[\]}]$/

/**
 * A quote within a string: JSON has punctuation before the quote that starts a string, and after the quote that ends it.
 * The quote comes first in the expression; a lookbehind in front of it can be tried at every space, in quadratic time.
 */
const INNER_QUOTE = /"(?<!(?:\\|[[{,:]\s*)")(?!\s*[\]},:]|\s+")/g

/** Line breaks and other characters that JSON allows in strings only as escapes. */
const CONTROL_CHARACTERS = /[\0-\x1f]/g

/**
 * Parses the JSON-LD scripts of a page in linear time: each script once, even if `parse` is called repeatedly while
 * the page arrives.
 */
export class JsonLdScripts {
  #blocks: readonly unknown[] = []
  #read = 0
  #bytesLeft = MAX_JSON_LD_BYTES
  #valuesLeft = MAX_JSON_LD_VALUES

  constructor(readonly reader: TextReader) {}

  /**
   * The parsed scripts; undefined for a script that is invalid or has too many values. Returns the same array until
   * there are more scripts.
   * @param scripts all JSON-LD scripts of the page so far
   */
  parse(scripts: readonly Range[]): readonly unknown[] {
    if (scripts.length === this.#read) return this.#blocks
    const blocks = [...this.#blocks]
    for (const range of scripts.slice(this.#read)) {
      const length = range.end - range.start
      if (length > this.#bytesLeft) continue
      this.#bytesLeft -= length
      blocks.push(this.#parseScript(this.reader.raw(range, length)))
    }
    this.#read = scripts.length
    return (this.#blocks = blocks)
  }

  #parseScript(script: string): unknown {
    const text = withPlainTerms(unwrapped(script))
    const values = countJsonValues(text, { depth: MAX_JSON_LD_DEPTH, values: this.#valuesLeft })
    if (values === null) return undefined
    const parsed = parsedJson(text)
    // In broken JSON it is unclear where strings end, so brackets and commas inside strings count, too.
    const used = parsed === undefined ? text.split(BRACKET_OR_COMMA, this.#valuesLeft + 2).length - 1 : values
    if (used > this.#valuesLeft) return undefined
    this.#valuesLeft -= used
    return parsed ?? repaired(text)
  }
}

/**
 * Parses JSON with common errors. JSON5 allows trailing commas, comments, single quotes and needless escapes. Raw
 * line breaks in strings are replaced, unless they end comments. A closing bracket after the value is removed, and
 * quotes within strings are escaped.
 */
function repaired(text: string): unknown {
  const line = text.replace(CONTROL_CHARACTERS, ' ')
  const attempts = new Set([line, text, line.replace(LAST_BRACKET, ''), line.replace(INNER_QUOTE, '\\"')])
  // oxlint-disable-next-line no-restricted-globals -- pure, like JSON.parse
  return firstOf(attempts, (attempt) => parsedJson(attempt, Bun.JSON5.parse))
}

/** The object or list in a script. Content management systems put comments, CDATA marks and semicolons around it. */
function unwrapped(script: string): string {
  const start = script.search(FIRST_BRACKET)
  const isInCdata = script.lastIndexOf(CDATA_START, start) >= 0
  const end = isInCdata ? script.lastIndexOf(CDATA_END) : script.length
  const last = Math.max(script.lastIndexOf('}', end - 1), script.lastIndexOf(']', end - 1))
  return start < 0 ? '' : script.slice(start, last + 1)
}
