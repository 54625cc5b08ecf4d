/** Longer than any address of a page here. */
const MAX_PATH_CHARACTERS = 2_048

/** Any origin does: what counts is whether the parser leaves it. */
const ORIGIN = 'http://own.invalid'

/**
 * The path of a page of our own that `text` names, or null: what a visitor hands in must not lead to another site.
 * Judged by what the parser makes of it, since `/..//evil.example` and `/%2e%2e//evil.example` become `//evil.example`.
 */
export function parseOwnPath(text: string | null): string | null {
  // Parsers drop tabs and line feeds, and browsers read a backslash as a slash.
  if (text === null || text.length > MAX_PATH_CHARACTERS || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(text)) return null
  const url = URL.parse(text, ORIGIN)
  if (url?.origin !== ORIGIN || url.pathname.startsWith('//')) return null
  return url.pathname + url.search
}
