import type { HTMLElement } from 'node-html-parser'
import { CookieJar } from 'tough-cookie'

import { pageTree } from '../page-tree.ts'

/** A page as a browser without scripts shows it. */
export interface Visited {
  url: URL
  status: number
  headers: Headers
  body: string
  /** The parsed body, for queries with selectors. */
  document: HTMLElement
}

function visited(url: URL, status: number, headers: Headers, body: string): Visited {
  return { url, status, headers, body, document: pageTree(body) }
}

/** The HTTP behavior of a browser: cookies, redirects, and forms with their hidden fields. */
export interface Browser {
  cookies: CookieJar
  /** Requests a page and follows redirects, also to other hosts. */
  get(url: string, headers?: Record<string, string>): Promise<Visited>
  /** Requests a page without following redirects. */
  request(url: string, init?: RequestInit): Promise<Response>
  /** Submits a form with the `csrf` field of the last visited page. */
  send(path: string, fields?: Record<string, string>): Promise<Visited>
  /** The last visited page. */
  page: Visited
}

/** The cookies of a browser at an origin, for a context of Playwright. */
export async function playwrightCookies({ cookies }: Browser, origin: string) {
  const found = await cookies.getCookies(origin)
  return found.map(({ key, value }) => ({ name: key, value, url: origin }))
}

const MAX_REDIRECTS = 10

const HTML = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'user-agent': 'Mozilla/5.0 Firefox/140.0' }

/** `address` is its client address, for a service that trusts this machine as a proxy. */
export function createBrowser(origin: string, address = '10.0.0.1'): Browser {
  const cookies = new CookieJar()

  async function request(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = await cookies.getCookieString(url)
    const headers = {
      ...HTML,
      'x-forwarded-for': address,
      ...(cookie && { cookie }),
      ...(init.headers as Record<string, string> | undefined),
    }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) await cookies.setCookie(line, url)
    return response
  }

  async function visit(url: string, init: RequestInit = {}): Promise<Visited> {
    let at = new URL(url, origin)
    let response = await request(at.href, init)
    for (let i = 0; response.status >= 300 && response.status < 400; i++) {
      if (i === MAX_REDIRECTS) throw new Error(`too many redirects at ${at}`)
      at = new URL(response.headers.get('location')!, at)
      response = await request(at.href)
    }
    browser.page = visited(at, response.status, response.headers, await response.text())
    return browser.page
  }

  const browser: Browser = {
    cookies,
    request,
    get: (url, headers = {}) => visit(url, { headers }),
    send(path, fields = {}) {
      const csrf = browser.page.document.querySelector('input[name="csrf"]')?.getAttribute('value')
      const body = new URLSearchParams({ ...(csrf !== undefined && { csrf }), ...fields })
      return visit(new URL(path, browser.page.url).href, {
        method: 'POST',
        body: body.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      })
    },
    page: visited(new URL(origin), 0, new Headers(), ''),
  }
  return browser
}
