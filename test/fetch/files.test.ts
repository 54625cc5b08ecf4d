import { afterAll, beforeAll, expect, test } from 'bun:test'

import { createFileFetcher } from '../../src/fetch/files.ts'
import { networkOptionsFor } from './network-options.ts'

const OPTIONS = { accept: 'text/plain', maxBytes: 1_000, caller: { userId: 'jo', publicOnly: false } }

let origin: ReturnType<typeof Bun.serve>
let files: ReturnType<typeof createFileFetcher>
beforeAll(() => {
  origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/accept') return new Response(request.headers.get('accept'))
      if (pathname === '/moved') return Response.redirect('/accept')
      if (pathname === '/loop') return Response.redirect('/loop')
      if (pathname === '/private') return Response.redirect('http://[::1]:1/')
      if (pathname === '/endless') {
        return new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(500)) }))
      }
      return new Response('not found', { status: 404 })
    },
  })
  files = createFileFetcher(networkOptionsFor([`127.0.0.1:${origin.port}`]))
})
afterAll(async () => {
  files[Symbol.dispose]()
  await origin.stop(true)
})

async function fetchFile(path: string, signal = new AbortController().signal) {
  const file = await files.fetch(new URL(path, origin.url), OPTIONS, signal)
  if ('problem' in file) return file
  return { path: file.url.pathname, status: file.status, text: new TextDecoder().decode(file.bytes) }
}

test.each<[path: string, expected: object]>([
  ['/accept', { path: '/accept', status: 200, text: 'text/plain' }],
  ['/moved', { path: '/accept', status: 200, text: 'text/plain' }],
  ['/gone', { path: '/gone', status: 404, text: '' }],
  ['/endless', { path: '/endless', status: 200, text: '\0'.repeat(1_000) }],
  ['/loop', { problem: 'too many redirects' }],
  ['/private', { problem: 'address not allowed' }],
  ['http://192.168.0.1/robots.txt', { problem: 'address not allowed' }],
])('%s', async (path, expected) => expect(await fetchFile(path)).toEqual(expected as never))

test('a request that is given up', async () => {
  expect(await fetchFile('/accept', AbortSignal.abort())).toEqual({ problem: 'timed out' })
})
