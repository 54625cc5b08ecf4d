/**
 * Tells a page's own addresses from those of other pages. Paths decide: the same page is served under several hosts
 * (`www.`, `m.`, mirrors), and from copies. What differs between spellings of one address is left out.
 */
export class OwnAddress {
  readonly #own: readonly { path: string; query: string }[]

  /** @param addresses the page's URL and what else it calls itself */
  constructor(addresses: readonly URL[]) {
    this.#own = addresses.map((url) => ({ path: pathOf(url), query: url.search }))
  }

  /** Whether it is this page's; undefined for a site's bare root, which templates write for want of an address. */
  matches(url: URL): boolean | undefined {
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
