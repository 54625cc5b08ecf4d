/** Sent with every answer of the API: it is for this caller alone, and nothing may read it as something else. */
const API_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export interface JsonInit {
  status?: number
  headers?: Record<string, string>
}

/** A JSON answer; a string is JSON text already and goes out as it is. */
export function json(body: object | string, { status = 200, headers = {} }: JsonInit = {}): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(text, { status, headers: { ...API_HEADERS, ...headers } })
}
