import { describe, expect, test } from 'bun:test'

import { randomOf } from '../differential/random.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import { randomRuns } from '../random-runs.ts'
import { startApp, type TestApp } from './app.ts'

const REQUESTS = randomRuns(1_000)
const CONCURRENT = 16

/** Part of the test's name. TEST_SEED repeats the requests of a run. */
const SEED = Number(process.env['TEST_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])

const HTML = { 'content-type': 'text/html' }

/** Cached pages are requested more than once. */
const PATHS = ['/a', '/b', '/c', '/moved', '/file', '/image', '/missing', '/broken', '/refused', '/silent']

function respond(request: Request): Response | Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/missing') return new Response('', { status: 404 })
  if (pathname === '/broken') return new Response('', { status: 500 })
  if (pathname === '/moved') return Response.redirect('/a', 302)
  if (pathname === '/refused') return Response.redirect('http://10.0.0.1/', 302)
  if (pathname === '/file') return new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } })
  if (pathname === '/image') return new Response('GIF89a', { headers: { 'content-type': 'image/gif' } })
  if (pathname === '/silent') return new Promise(() => {})
  return new Response(`<title>${pathname}</title><link rel=icon href=/i.png>`, { headers: HTML })
}

/** A request for a URL, in every format. */
const REQUESTS_OF: Readonly<Record<string, (url: string, key: string) => [path: string, init?: RequestInit]>> = {
  metadata: (url) => [`/v1/metadata?${new URLSearchParams({ url, timeout: '1000' })}`],
  'metadata without the cache': (url) => [
    `/v1/metadata?${new URLSearchParams({ url, timeout: '1000', cache: 'false' })}`,
  ],
  HEAD: (url) => [`/v1/metadata?${new URLSearchParams({ url, timeout: '1000' })}`, { method: 'HEAD' }],
  oembed: (url) => [`/oembed?${new URLSearchParams({ url })}`],
  microlink: (url) => [`/compat/microlink?${new URLSearchParams({ url })}`],
  linkpreview: (url) => [`/compat/linkpreview?${new URLSearchParams({ q: url })}`],
  'linkpreview, a form': (q) => ['/compat/linkpreview', { method: 'POST', body: new URLSearchParams({ q }) }],
  opengraph: (url, key) => [`/compat/opengraph/api/1.1/site/${encodeURIComponent(url)}?app_id=${key}`],
  iframely: (url) => [`/compat/iframely?${new URLSearchParams({ url })}`],
  summaly: (url, key) => [`/compat/summaly/${key}?${new URLSearchParams({ url })}`],
  editorjs: (url) => [`/compat/editorjs?${new URLSearchParams({ url })}`],
  jsonlink: (url) => [`/compat/jsonlink/extract?${new URLSearchParams({ url })}`],
  peekalink: (link) => [
    '/compat/peekalink',
    { method: 'POST', body: JSON.stringify({ link }), headers: { 'content-type': 'application/json' } },
  ],
}

/** Sends random requests, and returns how many had each status in each format. */
async function sendRandom(app: TestApp, key: string): Promise<Map<string, number>> {
  const random = randomOf(SEED)
  const names = Object.keys(REQUESTS_OF)
  const targets = Array.from({ length: REQUESTS }, () => {
    const path = random.of(PATHS)
    const url = random.below(40) === 0 ? 'no url' : `${app.origin}${path}?${random.below(20)}`
    return { name: random.of(names), url }
  })
  const seen = new Map<string, number>()
  const send = async () => {
    for (let target = targets.pop(); target !== undefined; target = targets.pop()) {
      const { name, url } = target
      const [path, init] = REQUESTS_OF[name]!(url, key)
      const headers = { 'x-api-key': key, ...init?.headers }
      const response = await fetch(`${app.url}${path}`, { ...init, headers })
      await response.arrayBuffer()
      const outcome = `${name} ${response.status}`
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, send))
  return seen
}

describe.each([0, 2])('with %d workers', (workers) => {
  test(
    `${REQUESTS} random requests of all formats: each answered one is charged, and no other, TEST_SEED=${SEED}`,
    async () => {
      await using app = await startApp({
        env: {
          URLMETA_WORKERS: String(workers),
          URLMETA_PLAN_FREE_PER_MINUTE: '100000',
          URLMETA_PLAN_FREE_PER_MONTH: '100000',
        },
        origin: respond,
      })
      const key = await app.createKey('jo@example.com')
      const seen = await sendRandom(app, key)
      const answered = [...seen].reduce((sum, [outcome, count]) => sum + (outcome.endsWith(' 200') ? count : 0), 0)
      // Every format has answered, and refused.
      const withStatus = (isOk: boolean) =>
        new Set([...seen.keys()].filter((one) => one.endsWith(' 200') === isOk).map((one) => one.slice(0, -4)))
      expect([withStatus(true).size, withStatus(false).size]).toEqual(Array(2).fill(Object.keys(REQUESTS_OF).length))
      const last = await fetch(`${app.url}/v1/metadata?url=${app.origin}/a`, { headers: { 'x-api-key': key } })
      expect(Number(last.headers.get('x-monthly-used'))).toBe(answered + 1)
    },
    PATIENT_TEST_MS,
  )
})
