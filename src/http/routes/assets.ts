import { Elysia } from 'elysia'

import { ASSETS } from '../../../views/assets.ts'

/** Assets change with the executable alone; an hour spares most requests and outlives no upgrade for long. */
const CACHE_CONTROL = 'public, max-age=3600'

/** Opened by itself an SVG is a document: it may do nothing there. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** The files that pages load: style sheet, script, icon. */
export function assetRoutes() {
  const app = new Elysia()
  for (const [path, { type, text }] of Object.entries(ASSETS)) {
    app.get(path, () => new Response(text, { headers: headersOf(type) }))
  }
  // Browsers ask for it wherever they are shown JSON.
  return app.get('/favicon.ico', () => new Response(null, { status: 301, headers: { location: '/favicon.svg' } }))
}

function headersOf(type: string): Record<string, string> {
  return {
    'content-type': type,
    'cache-control': CACHE_CONTROL,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
  }
}
