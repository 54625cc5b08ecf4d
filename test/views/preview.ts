// Serves every sample page locally: bun test/views/preview.ts [port]
import { ASSETS } from '../../views/assets.ts'
import { OWN_FIELDS, replaced } from './replaced.ts'
import { SAMPLES } from './samples.tsx'

/** A placeholder for images of pages. */
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 382 200" width="764" height="400"><rect width="382" height="200" fill="#0b1f3a"/><path d="M0 120C80 20 120 150 200 70S330 20 382 90v40C320 70 290 140 200 130S90 90 0 170z" fill="#2fbf8f"/><path d="M0 200v-40l70-30 60 35 70-55 80 50 50-25 52 30v35z" fill="#06101f"/></svg>`

/** The policy of the real pages, so that the preview looks the same. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Pages refer to assets by their hash, as on the server. */
const CACHE = 'max-age=31536000, immutable'

/** Serves `/<name>` for each sample, with `?text=` replacing user content, the assets, and a list at `/`. */
export function servePreview(port = 0) {
  return Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const asset = Object.entries(ASSETS).find(([path]) => path === pathname)?.[1]
      if (asset) return new Response(asset.content, { headers: { 'content-type': asset.type, 'cache-control': CACHE } })
      if (pathname === '/playground/image')
        return new Response(PICTURE, { headers: { 'content-type': 'image/svg+xml' } })
      // Submitting edited tags redirects to the page of the edited result, as on the server.
      if (request.method === 'POST' && pathname.endsWith('/tags')) return Response.redirect('/playground-edited', 303)
      const sample = SAMPLES.find(({ name }) => pathname === `/${name}`)
      const text = searchParams.get('text')
      const body =
        sample?.draw((props) => (text === null ? props : replaced(props, text, OWN_FIELDS))) ??
        SAMPLES.map(({ name }) => `<p><a href="/${name}">${name}</a></p>`).join('')
      return new Response(`<!doctype html>${body}`, {
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
      })
    },
  })
}

if (import.meta.main) process.stdout.write(`${servePreview(Number(process.argv[2] ?? 0)).url}\n`)
