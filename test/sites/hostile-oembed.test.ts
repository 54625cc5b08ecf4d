import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'

import { html, json, openSites, type SiteResponse } from './sites.ts'

const LINK = '<link rel="alternate" type="application/json+oembed" href="ENDPOINT">'
const TEXT = `<body><p>${'four '.repeat(60)}`
const pageWith = (endpoint: string) => `<title>A page</title>${LINK.replace('ENDPOINT', endpoint)}${TEXT}`

/** Reads a page without an image whose oEmbed endpoint responds like this. */
async function readWith(respond: () => SiteResponse | Promise<SiteResponse>, endpoint = '/oembed', timeoutMs?: number) {
  await using sites = await openSites(['blog.test'], (_, url) =>
    url.pathname === '/oembed' ? respond() : html(pageWith(endpoint)),
  )
  const startedAt = performance.now()
  const { result, trace } = await sites.read('https://blog.test/post', timeoutMs === undefined ? {} : { timeoutMs })
  const { fetched_at: _at, response_time_ms: _ms, fetch_method: _method, ...values } = result.result
  return { values, failure: trace.oembed?.failure, elapsedMs: performance.now() - startedAt, requests: sites.requests }
}

function endless(part: string): Response {
  const bytes = Buffer.from(part)
  // Ends at 32 MB, so that a client without a limit fails instead of exhausting the memory.
  let left = Math.ceil((32 * 1024 * 1024) / bytes.length)
  const pull = (controller: ReadableStreamDefaultController) => {
    if (left-- > 0) controller.enqueue(bytes)
    else controller.close()
  }
  return new Response(new ReadableStream({ pull }))
}

describe('the page is returned without oEmbed if the endpoint sends', () => {
  const nested = (depth: number) => `{"title":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const large = (bytes: number) => JSON.stringify({ title: 'T', html: 'x'.repeat(bytes) })

  test.each<[name: string, respond: () => SiteResponse, failure: string]>([
    ['endless JSON', () => endless(`{"title":"${'x'.repeat(65_536)}`), 'response too large'],
    ['endless brackets', () => endless('['.repeat(65_536)), 'response too large'],
    ['JSON of more than 256 KB', () => new Response(large(256 * 1024)), 'response too large'],
    [
      'a compressed bomb',
      () => new Response(gzipSync(' '.repeat(8 * 1024 * 1024)), { headers: { 'content-encoding': 'gzip' } }),
      'response too large',
    ],
    ['deeply nested JSON', () => new Response(nested(100_000)), 'invalid response'],
    ['half of an object', () => new Response('{"title":"T"'), 'invalid response'],
    ['nothing', () => new Response(''), 'invalid response'],
    ['a page', () => html('<title>Not JSON</title>'), 'invalid response'],
    ['XML', () => new Response('<oembed><title>T</title></oembed>'), 'invalid response'],
    ['a list', () => json([{ title: 'T' }]), 'invalid response'],
    ['null', () => new Response('null'), 'invalid response'],
    ['a text', () => new Response('"title"'), 'invalid response'],
    ['numbers and objects', () => json({ title: 1, thumbnail_url: { a: 1 }, author_name: [1] }), 'invalid response'],
    ['only a name of the provider', () => json({ provider_name: 'P' }), 'invalid response'],
    ['blank texts', () => json({ title: ' \n ', author_name: '\u0000' }), 'invalid response'],
    ['10,000 values', () => json({ title: 'T', x: Array.from({ length: 10_000 }, () => 0) }), 'invalid response'],
    ['404', () => new Response('{"title":"T"}', { status: 404 }), 'HTTP 404'],
    ['401, as those that need a token', () => new Response('{"title":"T"}', { status: 401 }), 'HTTP 401'],
    ['501, as those without JSON', () => new Response('', { status: 501 }), 'HTTP 501'],
    ['a redirect to a private address', () => Response.redirect('http://10.0.0.1/oembed'), 'address not allowed'],
    ['a redirect to this machine', () => Response.redirect('http://localhost:3000/metrics'), 'address not allowed'],
    [
      'a redirect to a file',
      () => new Response('', { status: 302, headers: { location: 'file:///etc/passwd' } }),
      'invalid redirect',
    ],
    ['a redirect to itself', () => Response.redirect('https://blog.test/oembed'), 'too many redirects'],
  ])('%s', async (_, respond, failure) => {
    const read = await readWith(respond)
    expect(read.values).toEqual({ title: 'A page' })
    expect(read.failure).toBe(failure)
  })

  test('endless redirects', async () => {
    let count = 0
    const read = await readWith(() => Response.redirect(`https://blog.test/oembed?${count++}`))
    expect(read.failure).toBe('too many redirects')
    expect(read.requests.length).toBe(5)
  })

  test.each<[name: string, respond: () => Response | Promise<Response>]>([
    ['no response within 30 s', () => Bun.sleep(30_000).then(() => json({ title: 'T' }))],
    ['a body that does not end', () => new Response(new ReadableStream({ pull: () => Bun.sleep(30_000) }))],
  ])('%s, within half of the time', async (_, respond) => {
    const read = await readWith(respond, '/oembed', 2_000)
    expect(read.values).toEqual({ title: 'A page' })
    expect(read.failure).toBe('timed out')
  })

  test.each([
    'http://10.0.0.1/oembed',
    'http://[::1]/',
    'http://localhost/',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:application/json,{}',
    'https://user:password@blog.test/oembed',
    '',
    'http://',
  ])('a link to %p is ignored', async (endpoint) => {
    const read = await readWith(() => json({ thumbnail_url: '/t.jpg' }), endpoint)
    expect(read.values).toEqual({ title: 'A page' })
    expect(read.failure).toBeUndefined()
  })
})

test('256 KB are read', async () => {
  const answer = { title: 'T', thumbnail_url: '/t.jpg', html: '' }
  answer.html = 'x'.repeat(256 * 1024 - JSON.stringify(answer).length)
  expect((await readWith(() => json(answer))).values).toMatchObject({ image: 'https://blog.test/t.jpg' })
})

describe('image URLs are checked like URLs of callers', () => {
  test.each<[thumbnail: string, image: string | undefined]>([
    ['https://cdn.test/a.jpg', 'https://cdn.test/a.jpg'],
    ['//cdn.test/a.jpg', 'https://cdn.test/a.jpg'],
    ['/a.jpg', 'https://blog.test/a.jpg'],
    ['http://10.0.0.1/a.jpg', undefined],
    ['http://127.0.0.1/a.jpg', undefined],
    ['http://localhost/a.jpg', undefined],
    ['http://[::ffff:169.254.169.254]/a.jpg', undefined],
    ['http://0x7f.1/a.jpg', undefined],
    ['https://user:password@cdn.test/a.jpg', undefined],
    ['https://cdn.test:22/a.jpg', undefined],
    ['data:image/png;base64,AAAA', undefined],
    ['javascript:alert(1)', undefined],
    ['file:///etc/passwd', undefined],
    [`https://cdn.test/${'a'.repeat(9_000)}`, undefined],
    [' ', undefined],
  ])('%p', async (thumbnail, image) => {
    const { values } = await readWith(() => json({ title: 'T', thumbnail_url: thumbnail }))
    expect(values.image).toBe(image)
  })
})
