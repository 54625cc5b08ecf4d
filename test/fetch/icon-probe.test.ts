import { describe, expect, test } from 'bun:test'

import { responseBytes, openRawOrigin, type RawOrigin } from '../origin/raw-origin.ts'
import { openSite, page, redirect } from '../origin/site.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'

const ICON = Buffer.from([0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x10, 0x10])
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

const iconOf = (site: RawOrigin): URL => new URL(`http://127.0.0.1:${site.port}/favicon.ico`)

describe('hasIcon', () => {
  test.each<[string, Uint8Array, boolean | null]>([
    ['an icon', page(ICON, 'image/x-icon'), true],
    ['a PNG', page(PNG, 'image/png'), true],
    ['an icon as plain text', page(ICON, 'text/plain'), true],
    ['an icon without type', responseBytes(200, {}, ICON), true],
    ['an SVG', page('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'), true],
    ['a JPEG XL', page(Buffer.from('ff0a9870b0a1b810', 'hex'), 'image/jxl'), true],
    ['a TIFF', page('II*\0', 'image/tiff'), false],
    ['a TGA', page(Buffer.from([0, 0, 2, 0, 0, 0, 0, 0]), 'image/x-icon'), false],
    ['a page', page('<!doctype html><p>'), false],
    ['a page declared as an icon', page('<!doctype html><p>', 'image/x-icon'), false],
    ['text', page('no icon here', 'image/x-icon'), false],
    ['nothing', page('', 'image/x-icon'), false],
    ['no content', responseBytes(204, {}), false],
    ['an icon with status 404', responseBytes(404, {}, ICON), false],
    ['an icon with status 500', responseBytes(500, {}, ICON), null],
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
    ['that there is an icon', page(ICON), true],
    ['that there is no icon', responseBytes(404, {}), false],
  ])('remembers %s', async (_name, answer, isIcon) => {
    await using site = await openSite({ '/favicon.ico': answer })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    for (let i = 0; i < 3; i++) expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(isIcon)
    expect(site.connections()).toBe(1)
  })

  test('an icon on a private host exists only for callers who may request it', async () => {
    await using site = await openSite({ '/favicon.ico': page(ICON) })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    const found = []
    for (const publicOnly of [true, false, true]) {
      found.push(await fetcher.hasIcon(iconOf(site), { ...budget, publicOnly }))
    }
    expect(found).toEqual([false, true, false])
  })

  test.each<[string, Uint8Array]>([
    ['overloaded', responseBytes(503, {})],
    ['rate limited', responseBytes(429, {})],
  ])('requests it once more when the site was %s', async (_name, answer) => {
    await using site = await openSite({ '/favicon.ico': answer })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await fetcher.hasIcon(iconOf(site), budget))
    expect(answers).toEqual([null, false, false])
    expect(site.connections()).toBe(2)
  })

  test('is unknown for an unreachable site, and none after the second failure', async () => {
    const site = await openSite({})
    await site[Symbol.asyncDispose]()
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await fetcher.hasIcon(iconOf(site), budget))
    expect(answers).toEqual([null, false, false])
  })

  test('makes one probe for concurrent requests', async () => {
    const answered = Promise.withResolvers<void>()
    await using site = await openRawOrigin((socket) => void answered.promise.then(() => socket.end(page(ICON))))
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    const asking = Array.from({ length: 32 }, () => fetcher.hasIcon(iconOf(site), budget))
    while (site.connections() === 0) await Bun.sleep(1)
    answered.resolve()
    expect(await Promise.all(asking)).toEqual(asking.map(() => true))
    expect(site.connections()).toBe(1)
  })

  test('does not wait for the slot of a page', async () => {
    await using site = await openRawOrigin((socket, head) => {
      if (head.startsWith('GET /favicon.ico')) socket.end(page(ICON))
    })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`], { concurrency: 1 })
    using budget = budgetOf()
    const hanging = fetcher.fetch(new URL('/hanging', iconOf(site)), budget).catch(() => null)
    while (site.connections() === 0) await Bun.sleep(1)
    expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(true)
    await fetcher[Symbol.asyncDispose]()
    await hanging
  })

  test('ends at the deadline of one request and continues for others', async () => {
    const answered = Promise.withResolvers<void>()
    await using site = await openRawOrigin((socket) => void answered.promise.then(() => socket.end(page(ICON))))
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using shortBudget = budgetOf(400)
    using longBudget = budgetOf()
    const given = fetcher.hasIcon(iconOf(site), shortBudget)
    const waited = fetcher.hasIcon(iconOf(site), longBudget)
    expect(await given).toBeNull()
    expect(shortBudget.signal.aborted).toBe(false)
    answered.resolve()
    expect(await waited).toBe(true)
    expect(await fetcher.hasIcon(iconOf(site), shortBudget)).toBe(true)
    expect(site.connections()).toBe(1)
  })

  test('reads only the beginning of an endless icon', async () => {
    await using site = await openRawOrigin((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.write(Buffer.concat([ICON, Buffer.alloc(8 * 1024 * 1024)]))
    })
    await using fetcher = fetcherFor([`127.0.0.1:${site.port}`])
    using budget = budgetOf()
    expect(await fetcher.hasIcon(iconOf(site), budget)).toBe(true)
  })
})
