/*
 * A card for a link: <url-card href="https://example.com/" data-key="urlmeta_live_…"></url-card>
 * With data-endpoint="/preview?url=", the card requests your own server instead, without a key. With data-metadata, a
 * response as JSON, it requests nothing.
 *
 * The card is a plain link until it has loaded. Pages style its parts: url-card::part(title).
 */
{
  // By its getter, because an element of the page named currentScript would hide the property.
  const { currentScript } = Object.getOwnPropertyDescriptors(Document.prototype)
  const { origin } = new URL(currentScript.get.call(document).src)

  const PREFIX = 'url-card '

  const style = new CSSStyleSheet()
  style.replaceSync(`
    :host { display: block; max-width: 36rem; font: 0.9375rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
    :host([hidden]) { display: none }
    [part=card] {
      display: block; overflow: hidden; border: 1px solid; border-radius: 0.625rem; text-decoration: none;
      color: light-dark(#1c2128, #e6e8eb); background: light-dark(#fff, #1b1e23);
      border-color: light-dark(#d5d9de, #3a3f47);
    }
    [part=image] { display: block; width: 100%; aspect-ratio: 1.91; object-fit: cover }
    [part=body] { display: block; padding: 0.75rem 0.875rem }
    [part=site] { display: flex; align-items: center; gap: 0.375rem; font-size: 0.8125rem; opacity: 0.75 }
    [part=icon] { width: 1rem; height: 1rem; flex: none }
    [part=title], [part=description] { display: -webkit-box; -webkit-box-orient: vertical; overflow: hidden }
    [part=title] { -webkit-line-clamp: 2; font-weight: 600; margin-block: 0.125rem }
    [part=description] { -webkit-line-clamp: 2; font-size: 0.875rem; opacity: 0.85 }
    @media (forced-colors: active) { [part=site], [part=description] { opacity: 1 } }
  `)

  /** Cards with the same URL and key share one request. */
  const requests = new Map()

  async function metadataOf(url, key) {
    const id = key + url
    const known = requests.get(id) ?? stored(url)
    if (known) return known
    const request = load(url, key)
    requests.set(id, request)
    const metadata = await request
    if (metadata === null) requests.delete(id)
    return metadata
  }

  async function load(url, key) {
    try {
      const response = await fetch(url, {
        headers: key ? { 'X-API-Key': key } : {},
        credentials: 'omit',
        // The API takes at most 15 s.
        signal: AbortSignal.timeout(20_000),
      })
      if (!response.ok) return null
      const metadata = await response.json()
      if (!response.headers.has('X-Provisional')) store(url, metadata)
      return metadata
    } catch {
      return null
    }
  }

  function parsed(text) {
    try {
      return JSON.parse(text)
    } catch {
      return null
    }
  }

  function stored(url) {
    try {
      return JSON.parse(sessionStorage.getItem(PREFIX + url))
    } catch {
      return null
    }
  }

  function store(url, metadata) {
    try {
      sessionStorage.setItem(PREFIX + url, JSON.stringify(metadata))
    } catch {
      // The storage is full or forbidden.
    }
  }

  /** The URL, or null if it could run a script. */
  function webUrl(text) {
    try {
      const { protocol, href } = new URL(text, document.baseURI)
      return text && /^https?:$/.test(protocol) ? href : null
    } catch {
      return null
    }
  }

  function element(name, part, properties = {}, children = []) {
    const created = Object.assign(document.createElement(name), properties)
    created.part.add(part)
    created.append(...children)
    return created
  }

  const text = (name, value) => (value ? [element('span', name, { textContent: value, dir: 'auto' })] : [])

  function image(part, url) {
    const src = webUrl(url)
    if (src === null) return []
    const created = element('img', part, { alt: '', loading: 'lazy', referrerPolicy: 'no-referrer' })
    created.addEventListener('error', () => created.remove())
    created.src = src
    return [created]
  }

  class UrlCard extends HTMLElement {
    static observedAttributes = ['href', 'data-key', 'data-metadata']
    #root = this.attachShadow({ mode: 'open' })
    #link
    /** One observer for all cards: browsers are slow with thousands of observers. */
    static #near = new IntersectionObserver(
      (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && target.#load()),
      { rootMargin: '300px' },
    )

    connectedCallback() {
      this.#root.adoptedStyleSheets = [style]
      this.#reset()
    }

    disconnectedCallback() {
      UrlCard.#near.unobserve(this)
    }

    attributeChangedCallback() {
      if (this.isConnected) this.#reset()
    }

    #href() {
      return webUrl(this.getAttribute('href'))
    }

    /** Shows the plain link, and loads the card once it is near the window. */
    #reset() {
      const href = this.#href()
      this.dataset.state = href ? 'loading' : 'failed'
      const link = element('a', 'link', { textContent: this.getAttribute('href') ?? '' })
      if (href) link.href = href
      this.#link = link
      // White space alone does not count as content.
      const slot = document.createElement('slot')
      slot.addEventListener('slotchange', () => {
        link.hidden = slot.assignedNodes().some((node) => node.localName || node.data.trim())
      })
      this.#root.replaceChildren(slot, link)
      UrlCard.#near.unobserve(this)
      if (href) UrlCard.#near.observe(this)
    }

    async #load() {
      UrlCard.#near.unobserve(this)
      const href = this.#href()
      const link = this.#link
      const { key, metadata: known, endpoint = `${origin}/v1/metadata?fields=pictures&url=` } = this.dataset
      const metadata = await (known ? parsed(known) : metadataOf(endpoint + encodeURIComponent(href), key))
      if (link !== this.#link) return
      if (!metadata?.title) {
        this.dataset.state = 'failed'
        return
      }
      // The server may proxy images.
      const images = metadata.extra?.pictures ?? metadata
      const site = metadata.site_name ?? new URL(href).hostname
      const name = element('span', 'name', { textContent: site })
      const body = element('span', 'body', {}, [
        // The direction of the name is that of the whole line: the icon is at its start.
        element('span', 'site', { dir: 'auto' }, [...image('icon', images.favicon), name]),
        ...text('title', metadata.title),
        ...text('description', metadata.description),
      ])
      const card = element('a', 'card', { href, rel: 'noopener' }, [...image('image', images.image), body])
      card.target = this.getAttribute('target') ?? ''
      this.#root.replaceChildren(card)
      this.dataset.state = 'loaded'
    }
  }

  if (!customElements.get('url-card')) customElements.define('url-card', UrlCard)
}
