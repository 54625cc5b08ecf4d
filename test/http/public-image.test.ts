import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'

import { AppError } from '../../src/core/errors.ts'
import { publicImagePath, publicImageRoutes, type PublicImageRouteDeps } from '../../src/http/routes/public-image.ts'
import { createAccessLog } from '../../src/http/server/access-log.ts'

const MB = 1024 * 1024
const LINK = { url: 'https://site.example/a.png', key: 'k', expires: '9', signature: 's' }

test('an image is refused when the clients of a network leave 64 MB of images unread', async () => {
  const publicImages: PublicImageRouteDeps['publicImages'] = {
    link: () => LINK,
    verify: ({ url = '' }) => ({ url: new URL(url), key: 'k', expiresAtMs: 9_000 }),
    fetch: () => Promise.resolve({ bytes: new Uint8Array(5 * MB), mimeType: 'image/png' }),
  }
  const accessLog = createAccessLog({ trustedProxies: [], newId: () => 'id', peerOf: () => null, onRequestEnd() {} })
  const routes = publicImageRoutes({ publicImages, accessLog, clientOf: () => null, now: () => 0 })
  const app = new Elysia()
    .onError({ as: 'global' }, ({ error }) => (error instanceof AppError ? `${error.kind}: ${error.message}` : 'other'))
    .use(routes)
  const responses: Response[] = []
  for (let n = 0; n < 13; n++) responses.push(await app.handle(new Request(`http://localhost${publicImagePath(LINK)}`)))
  const [first, last] = [responses[0]!, responses.at(-1)!]
  expect(first.headers.get('content-type')).toBe('image/png')
  expect(first.headers.get('cache-control')).toBe('public, max-age=9')
  expect(await last.text()).toBe('fetch_failed: Failed to fetch image: too many requests are waiting')
  await first.body!.cancel()
  const next = await app.handle(new Request(`http://localhost${publicImagePath(LINK)}`))
  expect(next.headers.get('content-type')).toBe('image/png')
})
