import { FetchError } from '../../core/errors.ts'
import type { HeaderFields } from '../../core/net/header-fields.ts'
import { trimCharacters } from '../../core/trim-characters.ts'

/*
 * Parses the head of a response as RFC 9112 specifies, but as leniently as Chromium, so that pages that browsers show can
 * be read: https://source.chromium.org/chromium/chromium/src/+/main:net/http/http_util.cc and
 * http_response_headers.cc. A malformed line is ignored; the other lines still count.
 */

/** The maximum number of header fields in a response. Real responses have far fewer. */
const MAX_FIELDS = 200

/** The maximum number of bytes before the status line, which some servers send by mistake. */
const MAX_JUNK_BYTES = 4

/** The status of a response without one, as in Chromium. */
const ASSUMED_STATUS = 200

/** The name of a field (RFC 9110 section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

export interface ResponseHead {
  status: number
  /** Whether the version is at least 1.1. Unknown versions count as 1.0. */
  isHttp11: boolean
  fields: HeaderFields
}

/**
 * Returns the index of the status line, or null if more bytes are needed to find it.
 * @throws FetchError `invalid_response` if there is none
 */
export function startOfHead(bytes: Buffer): number | null {
  const start = bytes.toString('latin1', 0, MAX_JUNK_BYTES + 4).toLowerCase()
  const at = start.indexOf('http')
  if (at >= 0) return at
  if (start.length === MAX_JUNK_BYTES + 4) throw new FetchError('invalid_response')
  return null
}

/** Returns the index after the empty line that ends a head, or -1 if it has not arrived. A line may end with LF alone. */
export function endOfHead(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LINE_FEED, from); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    const next = bytes[at + 1] === CARRIAGE_RETURN ? at + 2 : at + 1
    if (bytes[next] === LINE_FEED) return next + 1
  }
  return -1
}

/**
 * Parses a head.
 * @param text the bytes in Latin-1
 * @throws FetchError `response_too_large` for too many fields; `invalid_response` for a NUL, or a status that does
 * not have three digits
 */
export function parseHead(text: string): ResponseHead {
  if (text.includes('\0')) throw new FetchError('invalid_response')
  const [statusLine = '', ...lines] = text.split(/[\r\n]+/)
  return { ...parseStatusLine(statusLine), fields: parseFields(unfolded(lines)) }
}

/** The reason may follow the status without a space. */
function parseStatusLine(line: string): Pick<ResponseHead, 'status' | 'isHttp11'> {
  const [, version = '1.0', digits] = /^http(?:\/(\d\.\d))?[^ ]*(?: +(\d+))?/i.exec(line)!
  const status = digits === undefined ? ASSUMED_STATUS : Number(digits)
  if (status < 100 || status > 999) throw new FetchError('invalid_response')
  return { status, isHttp11: Number(version) >= 1.1 }
}

/** Appends each line that starts with a space or tab to the field before it (RFC 9112 section 5.2). */
function unfolded(lines: readonly string[]): string[] {
  const joined: string[] = []
  let isField = false
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      if (isField) joined[joined.length - 1] += ` ${withoutBlanks(line)}`
      continue
    }
    isField = line.indexOf(':') > 0
    joined.push(line)
  }
  return joined
}

/** Ignores lines without a valid name. */
function parseFields(lines: readonly string[]): HeaderFields {
  const fields = new Map<string, string[]>()
  let count = 0
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = withoutBlanks(line.slice(0, Math.max(0, colon)))
    if (!TOKEN.test(name)) continue
    if (++count > MAX_FIELDS) throw new FetchError('response_too_large')
    fields.getOrInsertComputed(name.toLowerCase(), () => []).push(withoutBlanks(line.slice(colon + 1)))
  }
  return fields
}

/** Unlike `trim`, this keeps the byte that is a no-break space in Latin-1. */
const withoutBlanks = (text: string) => trimCharacters(text, ' \t')
