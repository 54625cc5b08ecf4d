import { firstOf } from '../../first-of.ts'
import { SEMICOLON, SPACE } from '../reading/ascii.ts'
import { countJsonValues } from './json-value-count.ts'

/** Wrappers that content management systems put around JSON. Longer ones come before their own suffixes. */
const OPENERS = ['//<![CDATA[', '// <![CDATA[', '/*<![CDATA[*/', '/* <![CDATA[ */', '<![CDATA[', '<!--']
const CLOSERS = ['//]]>', '// ]]>', '/*]]>*/', '/* ]]> */', ']]>', '//-->', '// -->', '-->']

/** The first characters of the openers and the last ones of the closers. */
const OPENER_STARTS = '/<'
const CLOSER_ENDS = '/>'

/** The maximum number of nested wrappers to remove. Real scripts have up to two. */
const MAX_WRAPPERS = 8

/** The maximum number of values in one page: objects take far more memory than their text. Long graphs have 3,000. */
export const MAX_JSON_LD_VALUES = 10_000

/** The maximum nesting of values. Relevant ones are at most a dozen levels deep. */
export const MAX_JSON_LD_DEPTH = 100

/** White space in pages that JSON does not allow: no-break space, byte-order mark, line and paragraph separator. */
const WIDE_SPACES: ReadonlySet<number> = new Set([0xa0, 0xfeff, 0x2028, 0x2029])

/** Parses a page's JSON-LD scripts, repairing common errors, in linear time; undefined if invalid or too large. */
export class JsonLdParser {
  #valuesLeft = MAX_JSON_LD_VALUES

  parse(script: string): unknown {
    const text = unwrapped(script)
    const values = countJsonValues(text, { depth: MAX_JSON_LD_DEPTH, values: this.#valuesLeft })
    if (values === null) return undefined
    this.#valuesLeft -= values
    return parsed(JSON.parse, text) ?? repaired(text)
  }
}

function parsed(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Line breaks and other characters that JSON allows in strings only as escapes. */
const CONTROL_CHARACTERS = /[\0-\x1f]/g

const LAST_BRACKET = /[\]}]$/

/**
 * Parses JSON with common errors. JSON5 allows trailing commas, comments, single quotes and needless escapes. Raw line
 * breaks in strings are replaced, unless they end comments, and a closing bracket after the value is removed.
 */
function repaired(text: string): unknown {
  const printable = text.replace(CONTROL_CHARACTERS, ' ')
  const attempts = [printable, text, printable.replace(LAST_BRACKET, '')]
  // oxlint-disable-next-line no-restricted-globals -- pure, like JSON.parse
  return firstOf(attempts, (attempt) => parsed(Bun.JSON5.parse, attempt))
}

/** Removes wrappers one after the other, with white space and semicolons around them. */
function unwrapped(script: string): string {
  let start = skippedSpace(script, 0)
  let end = skippedSpaceBack(script, script.length)
  for (let round = 0; round < MAX_WRAPPERS && start < end; round++) {
    // Most scripts have no wrapper.
    if (!OPENER_STARTS.includes(script[start]!) && !CLOSER_ENDS.includes(script[end - 1]!)) break
    const opener = OPENERS.find((mark) => script.startsWith(mark, start))
    const closer = CLOSERS.find((mark) => script.endsWith(mark, end))
    if (opener === undefined && closer === undefined) break
    start = skippedSpace(script, start + (opener?.length ?? 0))
    end = skippedSpaceBack(script, end - (closer?.length ?? 0))
  }
  return start < end ? script.slice(start, end) : ''
}

function skippedSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

function skippedSpaceBack(text: string, from: number): number {
  let at = from
  while (at > 0 && (text.charCodeAt(at - 1) === SEMICOLON || isSpace(text.charCodeAt(at - 1)))) at--
  return at
}

function isSpace(unit: number): boolean {
  return unit <= SPACE || (unit >= 0xa0 && WIDE_SPACES.has(unit))
}
