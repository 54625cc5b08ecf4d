/** Pages run only script.js, load nothing from other origins and cannot be framed. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Sends a view, which is a promise when one of its components is async. */
export async function page(
  markup: string | Promise<string>,
  { status = 200, headers = [] }: { status?: number; headers?: [name: string, value: string][] } = {},
): Promise<Response> {
  return new Response(`<!doctype html>${await markup}`, {
    status,
    headers: [...Object.entries(PAGE_HEADERS), ...headers],
  })
}
