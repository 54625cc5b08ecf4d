/** A scheme and a colon, as in `mailto:`. `example.com:8080` is a host and port, not a scheme. */
const SCHEME = /^[a-z][a-z\d+.-]*:(?!\d{1,5}(?:[/?#]|$))/i

/**
 * Completes a URL that a person typed: `https://` is added to a URL without a scheme, such as `example.com/a` or
 * `//example.com/a`. The API does not do this: a program that sends such a URL has a bug.
 */
export function completeUrl(text: string): { url: string; isCompleted: boolean } {
  const url = text.trim()
  if (url === '' || SCHEME.test(url)) return { url, isCompleted: false }
  return { url: `https://${url.replace(/^\/\//, '')}`, isCompleted: true }
}
