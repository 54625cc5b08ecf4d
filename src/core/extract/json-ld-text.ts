import { BACKSLASH, COMMA, QUOTE, RIGHT_BRACE, RIGHT_BRACKET, SEMICOLON, SPACE } from './ascii.ts'
import { countJsonValues } from './json-value-count.ts'

/** Wrappers that content systems put around JSON. Each wrapper comes before those that are its suffixes. */
const OPENERS = ['//<![CDATA[', '// <![CDATA[', '/*<![CDATA[*/', '/* <![CDATA[ */', '<![CDATA[', '<!--']
const CLOSERS = ['//]]>', '// ]]>', '/*]]>*/', '/* ]]> */', ']]>', '//-->', '// -->', '-->']

/** Most nested wrappers to remove: real scripts have two. */
const MAX_WRAPPERS = 8

/** Most values in all blocks of a page: objects cost far more than their bytes. Long real graphs have 3,000. */
export const MAX_JSON_LD_VALUES = 10_000

/** Deepest nesting of values: those that rules use are at most a dozen levels deep. */
export const MAX_JSON_LD_DEPTH = 100

const ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrtu', (character) => character.charCodeAt(0)))

/**
 * White space that pages have and JSON does not allow: no-break space, byte-order mark, line and paragraph separator.
 */
const WIDE_SPACES: ReadonlySet<number> = new Set([0xa0, 0xfeff, 0x2028, 0x2029])

/**
 * Parses a page's JSON-LD scripts; undefined for one that is invalid or too large. Common faults are repaired:
 * wrappers, semicolons after the JSON, raw line breaks in strings, trailing commas, backslashes that escape nothing.
 * Takes time in proportion to the length of the texts.
 */
export function parseJsonLd(scripts: readonly string[]): unknown[] {
  let valuesLeft = MAX_JSON_LD_VALUES
  return scripts.map((script) => {
    const text = unwrapped(script)
    const values = countJsonValues(text, { depth: MAX_JSON_LD_DEPTH, values: valuesLeft })
    if (values === null) return undefined
    valuesLeft -= values
    return parsed(text) ?? parsed(repaired(text))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Removes wrappers one after the other, with white space and semicolons around them. */
function unwrapped(script: string): string {
  let start = skippedSpace(script, 0)
  let end = skippedSpaceBack(script, script.length)
  for (let round = 0; round < MAX_WRAPPERS && start < end; round++) {
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

/** Repairs the faults. The result is never longer than the text, so a buffer of its length is enough. */
function repaired(text: string): string {
  const units = new Uint16Array(text.length)
  let length = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) inString = !inString
    if (!inString) {
      if (unit !== COMMA || !closesNext(text, at + 1)) units[length++] = unit
    } else if (unit !== BACKSLASH) {
      units[length++] = unit < SPACE ? SPACE : unit
    } else if (ESCAPES.has(text.charCodeAt(at + 1))) {
      units[length++] = unit
      units[length++] = text.charCodeAt(++at)
    }
  }
  return new TextDecoder('utf-16le').decode(units.subarray(0, length))
}

/** Whether the next character that is not white space closes an object or array. */
function closesNext(text: string, from: number): boolean {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++
  const unit = text.charCodeAt(at)
  return unit === RIGHT_BRACE || unit === RIGHT_BRACKET
}
