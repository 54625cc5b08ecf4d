/** Headers of every API response: not cached, and not sniffed as another type. */
export const API_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export interface JsonInit {
  status?: number
  headers?: Record<string, string>
}

/** A JSON response; a string is sent as is, as JSON text. */
export function json(body: object | string, { status = 200, headers = {} }: JsonInit = {}): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(text, { status, headers: { ...API_HEADERS, ...headers } })
}
