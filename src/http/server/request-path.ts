/** Whether a path belongs to the API, which always responds with JSON. */
export const isApiPath = (path: string): boolean => /^\/(?:v1|compat)\/|^\/(?:oembed|mcp)$/.test(path)

/**
 * The path of a request without a trailing slash, like route patterns. Read by a regular expression, because the URL parser
 * throws on a malformed Host header, and because without that header, the URL is only a path.
 */
export function pathOf({ url }: Request): string {
  const [, path = ''] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/.exec(url) ?? []
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path || '/'
}
