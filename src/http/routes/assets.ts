import { Elysia } from 'elysia'

import { ASSETS } from '../../../views/assets.ts'
import { createFileEncoder } from '../server/compression.ts'
import { searchOf } from '../server/query.ts'

/** Asset URLs include a hash of their content, so they never change. */
const CACHE_FOREVER = 'public, max-age=31536000, immutable'

/** For URLs without the hash, which return the current version. */
const CACHE_ONE_HOUR = 'public, max-age=3600'

/**
 * A URL with the hash of another version, such as during an upgrade: the server of that version has other content
 * there.
 */
const HASH = /^\?v=\w{8,}$/
const NOT_CACHED = 'no-store'

/** An SVG opened directly is a document; the policy keeps it from running anything. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
}

/** Pages of any site load `/card.js`, also with `integrity` and when isolated from other origins. */
const CARD_HEADERS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

/** The style sheet, script, icon and link preview image of the dashboard. */
export function assetRoutes() {
  const app = new Elysia()
  for (const [path, { type, content, href }] of Object.entries(ASSETS)) {
    // An image is compressed already.
    const encoded = typeof content === 'string' ? createFileEncoder(content) : () => ({ body: content, headers: {} })
    const fixed = { 'content-type': type, ...SECURITY_HEADERS, ...(path === '/card.js' && CARD_HEADERS) }
    app.get(path, ({ request }) => {
      const { body, headers } = encoded(request)
      const otherCache = HASH.test(searchOf(request)) ? NOT_CACHED : CACHE_ONE_HOUR
      const cacheControl = request.url.endsWith(href) ? CACHE_FOREVER : otherCache
      return new Response(body, { headers: { ...fixed, 'cache-control': cacheControl, ...headers } })
    })
  }
  // Browsers request this path for responses without an icon link, such as JSON.
  return app.get('/favicon.ico', () => new Response(null, { status: 301, headers: { location: '/favicon.svg' } }))
}
