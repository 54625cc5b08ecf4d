/** What content systems put around the JSON of a script, before and after it; a mark before those it ends with. */
const OPENERS = ['//<![CDATA[', '// <![CDATA[', '/*<![CDATA[*/', '/* <![CDATA[ */', '<![CDATA[', '<!--']
const CLOSERS = ['//]]>', '// ]]>', '/*]]>*/', '/* ]]> */', ']]>', '//-->', '// -->', '-->', ';']

const ESCAPES = '"\\/bfnrtu'

/**
 * The value of a JSON-LD script, or undefined when it is past understanding. What pages commonly get wrong is read as it
 * was meant: wrappers, a trailing semicolon, raw line breaks in strings, trailing commas, backslashes that escape nothing.
 * Linear in the length of the text.
 */
export function parseJsonLd(script: string): unknown {
  const text = unwrapped(script)
  const value = parsed(text)
  if (value !== undefined) return value
  const tidy = tidied(text)
  return tidy === text ? undefined : parsed(tidy)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unwrapped(script: string): string {
  let text = script.trim()
  for (;;) {
    const opener = OPENERS.find((mark) => text.startsWith(mark))
    const closer = CLOSERS.find((mark) => text.endsWith(mark))
    if (opener === undefined && closer === undefined) return text
    text = text.slice(opener?.length ?? 0, text.length - (closer?.length ?? 0)).trim()
  }
}

function tidied(text: string): string {
  const parts: string[] = []
  let copied = 0
  let inString = false
  const replace = (from: number, to: number, by: string) => {
    parts.push(text.slice(copied, from), by)
    copied = to
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '"') inString = !inString
    else if (!inString && char === ',' && closesNext(text, at + 1)) replace(at, at + 1, '')
    else if (inString && char === '\\') {
      if (!ESCAPES.includes(text[at + 1] ?? ' ')) replace(at, at + 1, '')
      else at++
    } else if (inString && char < ' ') replace(at, at + 1, ' ')
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied)
}

/** Whether the next character that is not white space closes an object or array. */
function closesNext(text: string, from: number): boolean {
  let at = from
  while (at < text.length && text[at]! <= ' ') at++
  return text[at] === '}' || text[at] === ']'
}
