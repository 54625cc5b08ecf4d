import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openWorkspace } from '../executable.ts'
import { type Body, startApp, type TestApp } from './app.ts'

/** Pages by path. Each has a favicon of its own, so that nothing else is requested. */
const PAGES: Record<string, string> = {
  '/tags': `<meta property="og:image" content="/cover.png"><meta property="og:image:width" content="1200">
    <meta property="og:image:height" content="630"><meta property="og:image:alt" content="A &amp; B">
    <meta name="theme-color" content="#0f766e"><meta property="og:video:url" content="/embed/1">
    <meta property="og:video:width" content="640"><meta property="og:video:height" content="360">`,
  '/none': '',
}

const html = (head: string) =>
  `<!doctype html><title>T</title><meta name="description" content="D"><link rel="icon" href="/i.png">${head}<p>Text`

let app: TestApp
let key: string

beforeAll(async () => {
  app = await startApp({
    env: { URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
    origin({ url }) {
      const { pathname } = new URL(url)
      if (pathname === '/from') return Response.redirect('/tags?via=redirect#part')
      return new Response(html(PAGES[pathname] ?? ''), { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  })
  key = await app.createKey()
})

afterAll(() => app[Symbol.asyncDispose]())

const ALL = 'final_url,image_size,image_alt,theme_color,player'

async function extraOf(path: string, fields = ALL): Promise<unknown> {
  const response = await app.metadata(key, path, { fields, cache: 'false' })
  const { extra } = (await response.json()) as Body
  return extra
}

test('the fields that are asked for, in the order of the table', async () => {
  const all = {
    final_url: `${app.origin}/tags`,
    image_size: { width: 1200, height: 630 },
    image_alt: 'A & B',
    theme_color: '#0f766e',
    player: { url: `${app.origin}/embed/1`, width: 640, height: 360 },
  }
  expect(JSON.stringify(await extraOf('/tags'))).toBe(JSON.stringify(all))
  expect(await extraOf('/tags', 'theme_color')).toEqual({ theme_color: all.theme_color })
  expect(JSON.stringify(await extraOf('/tags', 'player,final_url,player'))).toBe(
    JSON.stringify({ final_url: all.final_url, player: all.player }),
  )
  expect(await extraOf('/none')).toEqual({ final_url: `${app.origin}/none` })
  expect(await extraOf('/none', 'player')).toEqual({})
})

test('the final URL has no fragment', async () => {
  expect(await extraOf('/from', 'final_url')).toEqual({ final_url: `${app.origin}/tags?via=redirect` })
})

test('without the parameter, the response has no other byte', async () => {
  const fresh = await app.metadata(key, '/tags?once', { fields: ALL })
  const plain = await app.metadata(key, '/tags?once')
  const again = await app.metadata(key, '/tags?once', { fields: 'image_alt' })
  expect([fresh, plain, again].map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT', 'HIT'])
  const text = await plain.text()
  expect(text).not.toContain('extra')
  const { extra, ...rest } = (await fresh.json()) as Body
  expect(extra).toHaveProperty('player')
  expect(JSON.stringify(rest)).toBe(text)
  expect(await again.text()).toBe(`${text.slice(0, -1)},"extra":{"image_alt":"A & B"}}`)
  expect(app.requestCounts.get('/tags')).toBeGreaterThan(0)
})

describe('400', () => {
  const message =
    'Invalid fields: must be a comma-separated list of final_url, image_size, image_alt, theme_color, player, pictures'
  test.each(['', ',', 'title', 'player,', 'player, image_alt', 'Player', 'constructor', 'toString', 'a'.repeat(9_000)])(
    '%.20p',
    async (fields) => {
      const response = await app.metadata(key, '/tags', { fields })
      expect([response.status, await response.json()]).toEqual([400, { error: message }])
    },
  )
})

describe('urlmeta fetch', () => {
  const run = async (...args: string[]) => {
    await using place = openWorkspace()
    return await place.run(['fetch', ...args], { URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  }

  test('--fields adds extra, without which there is none', async () => {
    const url = `${app.origin}/tags`
    const { stdout } = await run('--fields', 'image_size,theme_color', url)
    const { extra, ...rest } = JSON.parse(stdout) as Body
    expect(extra).toEqual({ image_size: { width: 1200, height: 630 }, theme_color: '#0f766e' })
    const times = { fetched_at: expect.any(String), response_time_ms: expect.any(Number) }
    expect(JSON.parse((await run(url)).stdout)).toEqual({ ...rest, ...times })
  })

  test('--explain has the source of each', async () => {
    const url = `${app.origin}/tags`
    const { stdout } = await run('--explain', url)
    expect(stdout).toMatch(/extra\.final_url +http\S+\/tags +← URL after redirects\n/)
    expect(stdout).toMatch(/extra\.image_size +\{"width":1200,"height":630\} +← og:image:width and og:image:height\n/)
    const { explain } = JSON.parse((await run('--explain', '--json', url)).stdout) as { explain: Body }
    expect(explain['extra']).toMatchObject({ image_alt: { value: 'A & B', source: 'og:image:alt' } })
  })

  test('an unknown field is an error', async () => {
    expect(await run('--fields', 'size', app.origin)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Must be a comma-separated list of final_url, image_size,'),
    })
  })
})
