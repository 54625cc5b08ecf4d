/** A scheme and a colon, as in `mailto:`. A port follows in `example.com:8080`, so that this is a host. */
const SCHEME = /^[a-z][a-z\d+.-]*:(?!\d{1,5}(?:[/?#]|$))/i

/**
 * A URL as people type it: one without a scheme gets `https://`. `//example.com/a` is a URL without a scheme too.
 * The API does not do this: a program that sends such a URL has a bug.
 */
export function completeUrl(text: string): { url: string; isCompleted: boolean } {
  const url = text.trim()
  if (url === '' || SCHEME.test(url)) return { url, isCompleted: false }
  return { url: `https://${url.replace(/^\/\//, '')}`, isCompleted: true }
}
