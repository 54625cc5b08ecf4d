/** Exceeds every path of the dashboard. */
const MAX_PATH_CHARACTERS = 2_048

/** An arbitrary base URL, to check whether the path resolves to the same origin. */
const ORIGIN = 'http://own.invalid'

/**
 * Parses a path on this site, such as the target after sign-in; null when it could lead to another site. The check uses
 * the normalized path, because `/..//evil.example` and `/%2e%2e//evil.example` become `//evil.example`.
 */
export function parseLocalPath(text: string | null): string | null {
  // URL parsers remove tabs and line feeds, and treat a backslash as a slash.
  if (text === null || text.length > MAX_PATH_CHARACTERS || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(text)) return null
  const url = URL.parse(text, ORIGIN)
  if (url?.origin !== ORIGIN || url.pathname.startsWith('//')) return null
  return url.pathname + url.search
}
