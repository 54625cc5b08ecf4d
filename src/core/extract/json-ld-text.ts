import { BACKSLASH, COMMA, QUOTE, RIGHT_BRACE, RIGHT_BRACKET, SEMICOLON, SPACE } from './ascii.ts'
import { valueCountOf } from './json-gauge.ts'

/** What content systems put around the JSON of a script, before and after it; a mark before those it ends with. */
const OPENERS = ['//<![CDATA[', '// <![CDATA[', '/*<![CDATA[*/', '/* <![CDATA[ */', '<![CDATA[', '<!--']
const CLOSERS = ['//]]>', '// ]]>', '/*]]>*/', '/* ]]> */', ']]>', '//-->', '// -->', '-->']

/** Wrappers within wrappers that are taken off: real scripts have two at most. */
const MAX_WRAPPERS = 8

/** Values in all blocks of a page: objects cost far more than their bytes. Long real graphs hold 3,000. */
export const MAX_JSON_LD_VALUES = 10_000

/** How deep values may be nested: those that rules ask for are at most a dozen deep. */
export const MAX_JSON_LD_DEPTH = 100

const ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrtu', (character) => character.charCodeAt(0)))

/** White space beyond ASCII that JSON does not allow and pages have: no-break space, mark, line and paragraph separator. */
const WIDE_SPACES: ReadonlySet<number> = new Set([0xa0, 0xfeff, 0x2028, 0x2029])

/**
 * The values of a page's JSON-LD scripts; undefined for one that is past understanding or holds too much. What pages
 * commonly get wrong is read as it was meant: wrappers, semicolons behind the JSON, raw line breaks in strings, trailing
 * commas, backslashes that escape nothing. Linear in the length of the texts.
 */
export function parseJsonLd(scripts: readonly string[]): unknown[] {
  let valuesLeft = MAX_JSON_LD_VALUES
  return scripts.map((script) => {
    const text = unwrapped(script)
    const values = valueCountOf(text, { depth: MAX_JSON_LD_DEPTH, values: valuesLeft })
    if (values === null) return undefined
    valuesLeft -= values
    return parsed(text) ?? parsed(tidied(text))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Takes off one wrapper after the other; runs of space and semicolons go in one step. */
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

/** The text with the faults mended. Mending never makes it longer, so it is written into a buffer of the same length. */
function tidied(text: string): string {
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
