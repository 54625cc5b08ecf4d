import { Elysia } from 'elysia'

import { ASSETS } from '../../../views/assets.ts'

/** Pages name assets with a mark of their content, which never changes under that address. */
const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable'

/** Whoever asks without the mark gets what is current, and an hour later looks again. */
const KEPT_FOR_AN_HOUR = 'public, max-age=3600'

/** Opened by itself an SVG is a document: it may do nothing there. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** The files that pages load: style sheet, script, icon. */
export function assetRoutes() {
  const app = new Elysia()
  for (const [path, { type, text, href }] of Object.entries(ASSETS)) {
    app.get(path, ({ request }) => {
      const isMarked = request.url.endsWith(href)
      return new Response(text, { headers: headersOf(type, isMarked ? KEPT_FOR_GOOD : KEPT_FOR_AN_HOUR) })
    })
  }
  // Browsers ask for it wherever they are shown JSON.
  return app.get('/favicon.ico', () => new Response(null, { status: 301, headers: { location: '/favicon.svg' } }))
}

function headersOf(type: string, cacheControl: string): Record<string, string> {
  return {
    'content-type': type,
    'cache-control': cacheControl,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
  }
}
