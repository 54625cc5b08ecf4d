import { SignInError } from '../core/identity.ts'
import { oauthErrorCode } from '../core/oauth-error.ts'

/** Providers answer in well under a second; a visitor waits for all of the requests of a sign-in together. */
const DEADLINE_MS = 8_000

/** Discovery documents and lists of addresses have a few kilobytes. */
const MAX_BODY_BYTES = 256 * 1024

/** What a provider answered: a JSON object or array, not yet looked at. */
export type Json = Record<string, unknown>

/** Sent with every request; GitHub refuses those without a User-Agent. */
const HEADERS = { accept: 'application/json', 'user-agent': 'urlmeta' }

/**
 * Asks an identity provider and reads its JSON. The guard of page fetches has no say here: where a provider is was
 * decided by the operator, and a company's own is often on a private network.
 * @throws SignInError `provider_failed` for anything but a 200 with JSON, in time and of a sane size
 */
export async function askJson(url: URL, init: { body?: URLSearchParams; authorization?: string } = {}): Promise<Json> {
  const { body, authorization } = init
  try {
    const answer = await fetch(url, {
      ...(body && { method: 'POST', body }),
      headers: { ...HEADERS, ...(authorization !== undefined && { authorization }) },
      // A redirect could carry code and secret elsewhere.
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const text = await readText(answer)
    if (answer.status !== 200) throw new Error(refusalOf(answer.status, text))
    const json = parse(text)
    if (json === null) throw new Error('the body is not a JSON object')
    return json
  } catch (cause) {
    throw new SignInError('provider_failed', `${url.origin}${url.pathname} gave no usable answer`, { cause })
  }
}

/** Says the status and the OAuth error code, and nothing else of the body: it may repeat a code, token or secret. */
function refusalOf(status: number, text: string): string {
  const error = oauthErrorCode(parse(text)?.['error'])
  return `HTTP ${status}${error === null ? '' : ` ${error}`}`
}

/** Null for anything but an object or array. The error of the parser would repeat part of the text. */
function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? (value as Json | null) : null
  } catch {
    return null
  }
}

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The text under `name`, or null when there is none. */
export function textOf(json: Json, name: string): string | null {
  const value = json[name]
  return typeof value === 'string' && value !== '' ? value : null
}
