import { compressed } from './compression.ts'

/** Pages run only script.js, load nothing from other origins and cannot be framed. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

interface PageInit {
  status: number
  headers: [name: string, value: string][]
  /** The request, if the page may be compressed: it contains no CSRF token and no account data. */
  compressFor: Request | null
}

/** Sends a view, which is a promise when one of its components is async. */
export async function page(markup: string | Promise<string>, { compressFor, ...init }: PageInit): Promise<Response> {
  const text = `<!doctype html>${await markup}`
  const complete = { ...init, headers: [...Object.entries(PAGE_HEADERS), ...init.headers] }
  return compressFor === null ? new Response(text, complete) : compressed(compressFor, text, complete)
}
