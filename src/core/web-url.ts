/** Parses an absolute http(s) URL, or one relative to `base`; null for '' and anything else. */
export function parseWebUrl(text: string, base?: string): URL | null {
  const url = text === '' ? null : URL.parse(text, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : null
}
