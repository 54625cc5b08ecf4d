/** Whether a URL is an address of a page; undefined for a site's root, which templates use when they have no URL. */
export type IsAddress = (url: URL) => boolean | undefined

/**
 * Distinguishes a page's own addresses from addresses of other pages. Only paths and queries are compared: the same
 * page may be served by several hosts (`www.`, `m.`, mirrors). `/index.html`, `/amp` and trailing slashes are ignored.
 * @param addresses the page's URL, its canonical link and its og:url
 */
export function isAddressOf(addresses: readonly URL[]): IsAddress {
  const all = addresses.map((url) => ({ path: pathOf(url), query: url.search }))
  return (url) => {
    const path = pathOf(url)
    const isOwn = all.some((own) => own.path === path && (url.search === '' || url.search === own.query))
    return !isOwn && path === '' && url.search === '' ? undefined : isOwn
  }
}

function pathOf({ pathname }: URL): string {
  return pathname
    .toLowerCase()
    .replace(/\/index\.(?:html?|php)$/, '')
    .replace(/\/(?:amp\/?)?$/, '')
}
