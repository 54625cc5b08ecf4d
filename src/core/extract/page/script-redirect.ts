/**
 * A script that only redirects, such as `location.replace("…")` or `window.location.href = '…'`. `window.opener =
 * null` may precede it, as on t.co, and the statement may be in a function that the script calls. Scripts are not
 * run. A script with anything else, such as a condition, is not a redirect.
 *
 * No two `\s*` are adjacent or separated only by optional parts, so the time is linear in the amount of white space.
 */
const SCRIPT =
  /^\s*(?:<!--[^\n]*\n\s*)?(?:(?:window\.)?opener\s*=\s*null\s*;\s*)?(?:(?:window|document|self|top|parent)\.)*location\s*(?:(?:\.href\s*)?=\s*|\.(?:replace|assign)\s*\(\s*)("[^"\n]*"|'[^'\n]*'|`[^`$]*`)\s*(?:\)\s*)?(?:;\s*)?(?:return\s+false\s*(?:;\s*)?)?(?:\/\/\s*-->\s*)?$/

const LEADING_TRIVIA = /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)+/

/** A function without parameters. */
const FUNCTION = String.raw`(?:function\s*\(\s*\)|\(\s*\)\s*=>)\s*\{([^]*)\}`

/** Calls of a function without parameters while the page is loaded, or within five seconds as for a meta refresh. */
const WRAPPERS: readonly RegExp[] = [
  new RegExp(String.raw`^(?:window\.)?onload\s*=\s*${FUNCTION};?$`),
  new RegExp(String.raw`^(?:window\.)?setTimeout\(\s*${FUNCTION}(?:,\s*(?:5000|[1-4]?\d{1,3}))?\);?$`),
  new RegExp(String.raw`^\(${FUNCTION}(?:\)\(\)|\(\)\));?$`),
]

/** Escapes in JavaScript strings: `\/`, `\x26` and `\u0026`. */
const ESCAPE = /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}|(.))/gi

/** The URL that a script redirects to, or null if it does anything else. */
export function scriptRedirect(script: string): string | null {
  const literal = SCRIPT.exec(bodyOf(script))?.[1]
  if (literal === undefined) return null
  return literal.slice(1, -1).replace(ESCAPE, (_, x?: string, u?: string, point?: string, other?: string) => {
    const hex = x ?? u ?? point
    return hex === undefined ? (other ?? '') : codePoint(Number.parseInt(hex, 16))
  })
}

/** The body of the function that a script calls, or the script itself, without the comments before it. */
function bodyOf(script: string): string {
  const statements = script.replace(LEADING_TRIVIA, '').trimEnd()
  const called = WRAPPERS.map((wrapper) => wrapper.exec(statements)?.[1]).find((body) => body !== undefined)
  return called === undefined ? statements : called.replace(LEADING_TRIVIA, '')
}

function codePoint(value: number): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : ''
}
