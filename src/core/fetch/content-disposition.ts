import { textOf, utf8Of } from '../net/header-fields.ts'
import { percentDecoded } from '../percent-decoded.ts'

/** A parameter of a header: its name and its value, which may be quoted. */
const PARAMETER = /;\s*([^\s;=]+)\s*=\s*("(?:[^"\\]|\\.)*"?|[^;]*)/g

/** RFC 8187 section 3.2.1: `UTF-8'en'na%C3%AFve.pdf`. */
const EXTENDED = /^([\w-]+)'[^']*'(.*)$/s

/**
 * Returns the file name in a Content-Disposition header without directories, or '' if there is none. `filename*` takes
 * precedence over `filename` (RFC 6266 section 4.3). As in browsers, `filename` may be UTF-8 or percent-encoded.
 * @param header one character per byte
 */
export function fileNameOf(header: string): string {
  const parameters = new Map<string, string>()
  for (const [, name, value] of header.matchAll(PARAMETER)) {
    const key = name!.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, unquoted(value!.trim()))
  }
  const path =
    extendedValue(parameters.get('filename*') ?? '') || percentDecoded(textOf(parameters.get('filename') ?? ''))
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.replace(/^"|"$/g, '').replace(/\\(["\\])/g, '$1') : value
}

/** Null if the value cannot be decoded. */
function extendedValue(value: string): string | null {
  const [, charset, encoded] = EXTENDED.exec(value) ?? []
  if (charset === undefined || encoded === undefined) return null
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return charset.toLowerCase() === 'utf-8' ? utf8Of(bytes) : bytes
}
