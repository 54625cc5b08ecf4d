import { describe, expect, test } from 'bun:test'

import { answerOf, openRawOrigin, type RawOrigin } from '../origin/raw-origin.ts'
import { openSite, page, redirect } from '../origin/site.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'

const ICON = Buffer.from([0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x10, 0x10])
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

const iconOf = (site: RawOrigin): URL => new URL(`http://127.0.0.1:${site.port}/favicon.ico`)

describe('hasIcon', () => {
  test.each<[string, Uint8Array, boolean]>([
    ['an icon', page(ICON, 'image/x-icon'), true],
    ['a PNG', page(PNG, 'image/png'), true],
    ['an icon as plain text', page(ICON, 'text/plain'), true],
    ['an icon without type', answerOf(200, {}, ICON), true],
    ['an SVG', page('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'), true],
    ['a page', page('<!doctype html><p>'), false],
    ['a page that calls itself an icon', page('<!doctype html><p>', 'image/x-icon'), false],
    ['text', page('no icon here', 'image/x-icon'), false],
    ['nothing', page('', 'image/x-icon'), false],
    ['no content', answerOf(204, {}), false],
    ['an icon with status 404', answerOf(404, {}, ICON), false],
    ['an icon with status 500', answerOf(500, {}, ICON), false],
    ['a redirect to private addresses', redirect('http://10.0.0.1/favicon.ico'), false],
    ['a redirect to itself', redirect('/favicon.ico'), false],
    ['nonsense', Buffer.from('nonsense'), false],
  ])('%s', async (_name, answer, isIcon) => {
    await using site = await openSite({ '/favicon.ico': answer })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(isIcon)
  })

  test('follows redirects', async () => {
    await using site = await openSite({ '/favicon.ico': redirect('/static/icon.png'), '/static/icon.png': page(PNG) })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(true)
  })

  test.each<[string, Uint8Array, boolean]>([
    ['that there is one', page(ICON), true],
    ['that there is none', answerOf(404, {}), false],
  ])('remembers %s', async (_name, answer, isIcon) => {
    await using site = await openSite({ '/favicon.ico': answer })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    for (let i = 0; i < 3; i++) expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(isIcon)
    expect(site.connections()).toBe(1)
  })

  test.each<[string, Uint8Array]>([
    ['overloaded', answerOf(503, {})],
    ['out of patience', answerOf(429, {})],
    ['out of order', Buffer.from('nonsense')],
  ])('asks again when the site was %s', async (_name, answer) => {
    await using site = await openSite({ '/favicon.ico': answer })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    for (let i = 0; i < 2; i++) expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(false)
    expect(site.connections()).toBe(2)
  })

  test('does not ask when little time is left', async () => {
    await using site = await openSite({ '/favicon.ico': page(ICON) })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf(100)
    expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(false)
    expect(site.connections()).toBe(0)
  })

  test('gives a silent site up before the caller does', async () => {
    await using site = await openRawOrigin(() => {})
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf(400)
    expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(false)
    expect(budget.signal.aborted).toBe(false)
  })

  test('reads no more than the beginning of an endless icon', async () => {
    await using site = await openRawOrigin((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.write(Buffer.concat([ICON, Buffer.alloc(8 * 1024 * 1024)]))
    })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(true)
  })
})
