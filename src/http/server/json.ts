/** Headers of every API response: not cached, and not sniffed as another type. */
export const API_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** A JSON response; a string is sent as is, as JSON text. */
export function json(body: object | string, init?: { status?: number; headers?: Record<string, string> }): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(text, { ...init, headers: { ...API_HEADERS, ...init?.headers } })
}
