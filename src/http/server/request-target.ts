/** Whether a path belongs to the API, which always responds with JSON. */
export const isApiPath = (path: string): boolean => /^\/(?:v1|compat)\/|^\/oembed$/.test(path)

export interface RequestTarget {
  /** Without a trailing slash, like route patterns. */
  path: string
  /** With its question mark, or ''. */
  search: string
}

/**
 * Parsed with a regular expression, because the URL parser throws on a malformed Host header, and Elysia searches for
 * the path from the eleventh character of the URL, which skips its start after very short hosts.
 */
export function requestTarget({ url }: Request): RequestTarget {
  const [, path = '', search = ''] = /^https?:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(url) ?? []
  return { path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path || '/', search }
}
