/**
 * A script that only redirects, such as `location.replace("…")` or `window.location.href = '…'`. `window.opener = null`
 * may precede it, as on t.co. Scripts are not run. A script with anything else, such as a condition, is not a redirect.
 *
 * No two `\s*` are adjacent or separated only by optional parts, so the time is linear in the amount of white space.
 */
const SCRIPT =
  /^\s*(?:<!--[^\n]*\n\s*)?(?:(?:window\.)?opener\s*=\s*null\s*;\s*)?(?:(?:window|document|self|top|parent)\.)*location\s*(?:(?:\.href\s*)?=\s*|\.(?:replace|assign)\s*\(\s*)("[^"\n]*"|'[^'\n]*'|`[^`$]*`)\s*(?:\)\s*)?(?:;\s*)?(?:return\s+false\s*(?:;\s*)?)?(?:\/\/\s*-->\s*)?$/

/** Escapes in JavaScript strings: `\/`, `\x26` and `\u0026`. */
const ESCAPE = /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}|(.))/gi

/** The URL that a script redirects to, or null if it does anything else. */
export function scriptRedirect(script: string): string | null {
  const literal = SCRIPT.exec(script)?.[1]
  if (literal === undefined) return null
  return literal.slice(1, -1).replace(ESCAPE, (_, x?: string, u?: string, point?: string, other?: string) => {
    const hex = x ?? u ?? point
    return hex === undefined ? (other ?? '') : codePoint(Number.parseInt(hex, 16))
  })
}

function codePoint(value: number): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : ''
}
