import { describe, expect, test } from 'bun:test'

import type { Budget, Renderer } from '../../src/core/fetch/ports.ts'
import type { SiteRule } from '../../src/core/sites/site-rule.ts'
import { memoryRenderHistory } from '../../src/store/memory/render-history.ts'
import { html, json, openSites, rendererOf, type Site } from '../sites/sites.ts'

const SHELL = '<title>Shell</title><body><div id="root"></div><script src="/app.js"></script>'
const ARTICLE = '<title>Article</title><meta property="og:image" content="/i.png"><body><p>' + 'four '.repeat(60)
const FILLED = '<title>Filled in</title><meta property="og:title" content="Filled in">'

/** A site with shells and an article, and a browser that records its requests. */
async function openHost({ page = FILLED, isCut = false, site }: { page?: string; isCut?: boolean; site?: Site } = {}) {
  const history = memoryRenderHistory({ stored: null, now: Date.now, onError: () => {} })
  const rendered: string[] = []
  const budgets: Budget[] = []
  const events: string[] = []
  const sites = await openSites(['app.test', 'go.test', 'vimeo.com'], async (request, url) => {
    events.push(`plain ${url.pathname}`)
    const own = site?.(request, url) ?? null
    if (own !== null) return own
    if (url.hostname === 'go.test') return Response.redirect('https://app.test/shell')
    return html(url.pathname === '/article' ? ARTICLE : SHELL)
  })
  const renderer: Renderer = {
    render(url, budget) {
      events.push(`render ${url.pathname}`)
      rendered.push(url.href)
      budgets.push(budget)
      return rendererOf(url.href, page, isCut).render(url, budget)
    },
  }
  const read = (url: string, timeoutMs?: number, rules: readonly SiteRule[] = []) =>
    sites.read(url, { renderer, history, sites: rules, ...(timeoutMs !== undefined && { timeoutMs }) })
  return { ...sites, read, rendered, budgets, events, history }
}

async function learn(read: (url: string) => Promise<unknown>) {
  for (const path of ['1', '2', '3']) await read(`https://app.test/shell-${path}`)
}

describe('a host whose pages need a browser', () => {
  test('is rendered early from the fourth page, with the reason `learned`', async () => {
    await using host = await openHost()
    await learn(host.read)
    expect(host.events.slice(0, 2)).toEqual(['plain /shell-1', 'render /shell-1'])
    const { result, trace } = await host.read('https://app.test/shell-4#top')
    expect(result.result).toMatchObject({ title: 'Filled in', fetch_method: 'headless' })
    expect(trace.method).toEqual({ method: 'headless', reason: 'learned' })
    expect(host.events.slice(-2)).toEqual(['render /shell-4', 'plain /shell-4'])
    expect(host.rendered).toHaveLength(4)
  })

  test('returns the plain response of a page that needs no browser, cancels its rendering, and removes the host', async () => {
    await using host = await openHost()
    await learn(host.read)
    const { result, trace } = await host.read('https://app.test/article')
    expect(result.result).toMatchObject({ title: 'Article', fetch_method: 'http' })
    expect(trace.method).toEqual({ method: 'http', reason: 'no_scripts' })
    expect(host.budgets.at(-1)!.signal.aborted).toBe(true)
    await host.read('https://app.test/shell-5')
    expect(host.events.slice(-2)).toEqual(['plain /shell-5', 'render /shell-5'])
  })

  test('stays one after a response that is not a page', async () => {
    const pdf = () => new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } })
    await using host = await openHost({ site: (_, { pathname }) => (pathname === '/file' ? pdf() : null) })
    await learn(host.read)
    await host.read('https://app.test/file')
    const { trace } = await host.read('https://app.test/shell-4')
    expect(trace.method).toEqual({ method: 'headless', reason: 'learned' })
  })

  test('is not rendered early with too little time', async () => {
    await using host = await openHost()
    await learn(host.read)
    await host.read('https://app.test/shell-4', 1_400)
    expect(host.rendered).toHaveLength(3)
    // The page had no time to show that it needs the browser.
    expect(host.history.needsBrowser('app.test')).toBe(true)
  })

  test('is not rendered at all once a rule says never', async () => {
    await using host = await openHost()
    await learn(host.read)
    const { result } = await host.read('https://app.test/shell-4', undefined, [
      { hosts: ['app.test'], render: 'never' },
    ])
    expect(result.result).toMatchObject({ title: 'Shell', fetch_method: 'http' })
    expect(host.rendered).toHaveLength(3)
  })

  test('returns the error of a page, and cancels its rendering', async () => {
    await using host = await openHost({
      site: (_, url) => (url.pathname === '/missing' ? html('Not found', 404) : null),
    })
    await learn(host.read)
    await expect(host.read('https://app.test/missing')).rejects.toMatchObject({ reason: 'HTTP 404' })
    expect(host.budgets.at(-1)!.signal.aborted).toBe(true)
  })
})

describe('a page does not count if', () => {
  test('the browser found nothing more', async () => {
    await using host = await openHost({ page: SHELL })
    await learn(host.read)
    expect(host.history.needsBrowser('app.test')).toBe(false)
  })

  test('the browser ran out of time before it found more; the result is provisional', async () => {
    await using host = await openHost({ page: SHELL, isCut: true })
    const { result, trace } = await host.read('https://app.test/shell')
    expect([result.isProvisional, trace.rendering?.failure]).toEqual([true, 'out_of_time'])
    await host.read('https://app.test/shell')
    expect(host.rendered).toHaveLength(2)
  })

  test('the browser ran out of time after it had found more, the result is not provisional', async () => {
    await using host = await openHost({ isCut: true })
    const { result, trace } = await host.read('https://app.test/shell')
    expect([result.isProvisional, trace.rendering?.failure]).toEqual([false, undefined])
  })

  test('the host redirects to another one', async () => {
    await using host = await openHost()
    for (const path of ['1', '2', '3']) await host.read(`https://go.test/${path}`)
    expect(host.history.needsBrowser('go.test')).toBe(false)
    expect(host.history.needsBrowser('app.test')).toBe(false)
  })

  test('the host refused the plain request', async () => {
    await using host = await openHost({ site: () => html('', 403) })
    await learn(host.read)
    expect(host.rendered).toHaveLength(3)
    expect(host.history.needsBrowser('app.test')).toBe(false)
  })

  test('oEmbed has its title', async () => {
    await using host = await openHost({
      site: (_, url) => (url.pathname === '/api/oembed.json' ? json({ title: 'A video' }) : null),
    })
    for (const path of ['1', '2', '3']) await host.read(`https://vimeo.com/${path}`)
    expect(host.rendered).toEqual([])
    expect(host.history.needsBrowser('vimeo.com')).toBe(false)
  })
})
