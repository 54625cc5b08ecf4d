/** The path and query of a request. */
export interface RequestTarget {
  /** Without a trailing slash, like route patterns. */
  path: string
  /** With its question mark, or ''. */
  search: string
}

/**
 * Parsed by hand: Elysia looks for the path from the URL's eleventh character on, which is too late behind a host of
 * three letters, and the URL parser throws on a malformed Host header.
 */
export function requestTarget({ url }: Request): RequestTarget {
  const [, path = '', search = ''] = /^https?:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(url) ?? []
  return { path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path || '/', search }
}
