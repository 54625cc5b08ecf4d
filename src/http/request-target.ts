/** What was asked for, as it stands in the request. */
export interface RequestTarget {
  /** As routes are written: without a slash at the end. */
  path: string
  /** With its question mark, or ''. */
  search: string
}

/**
 * Taken apart by hand. Elysia's own `path` is cut from the URL's eleventh character on, which is too late behind a host
 * of three letters, and the URL parser refuses what strangers write into a Host header.
 */
export function requestTarget({ url }: Request): RequestTarget {
  const [, path = '', search = ''] = /^https?:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/.exec(url) ?? []
  return { path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path || '/', search }
}
