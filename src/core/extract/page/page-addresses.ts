/**
 * Distinguishes a page's own addresses from addresses of other pages. Only paths and queries are compared: the same
 * page may be served by several hosts (`www.`, `m.`, mirrors). `/index.html`, `/amp` and trailing slashes are ignored.
 */
export class PageAddresses {
  readonly #own: readonly { path: string; query: string }[]

  /** @param addresses the page's URL, its canonical link and its og:url */
  constructor(addresses: readonly URL[]) {
    this.#own = addresses.map((url) => ({ path: pathOf(url), query: url.search }))
  }

  /** Whether the URL is one of them; undefined for a site's root, which templates use when they have no URL. */
  includes(url: URL): boolean | undefined {
    const path = pathOf(url)
    const isOwn = this.#own.some((own) => own.path === path && (url.search === '' || url.search === own.query))
    return !isOwn && path === '' && url.search === '' ? undefined : isOwn
  }
}

function pathOf({ pathname }: URL): string {
  return pathname
    .toLowerCase()
    .replace(/\/index\.(?:html?|php)$/, '')
    .replace(/\/(?:amp\/?)?$/, '')
}
