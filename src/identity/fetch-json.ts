import { oauthErrorCode, SignInError } from '../core/accounts/identity.ts'
import { parsedJson } from '../core/json.ts'

/**
 * The deadline of one request. Providers respond in well under a second, and the user waits for all requests of a
 * sign-in.
 */
const DEADLINE_MS = 8_000

/** Discovery documents and lists of email addresses take a few kilobytes. */
const MAX_BODY_BYTES = 256 * 1024

/** A parsed but unvalidated JSON object or array. */
export type Json = Record<string, unknown>

/** Sent with every request; GitHub rejects requests without a User-Agent. */
const HEADERS = { accept: 'application/json', 'user-agent': 'urlmeta' }

/**
 * Sends a request to an identity provider and returns the JSON of its response. Does not use the egress guard, because
 * the operator configured the URL and a company's provider is often on a private network.
 * @throws SignInError `provider_failed` unless the response is a 200 with JSON, within the deadline and the size limit
 */
export async function fetchJson(
  url: URL,
  { body, headers }: { body?: URLSearchParams; headers?: Record<string, string> } = {},
): Promise<Json> {
  try {
    const response = await fetch(url, {
      ...(body && { method: 'POST', body }),
      headers: { ...headers, ...HEADERS },
      // A redirect could send the code and the secret to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const text = await readText(response)
    if (response.status !== 200) throw new Error(errorText(response.status, text))
    const json = parse(text)
    if (json === null) throw new Error('the body is not a JSON object')
    // GitHub returns errors with status 200.
    if (textOf(json, 'error') !== null) throw new Error(oauthErrorCode(json['error']) ?? 'unknown error code')
    return json
  } catch (cause) {
    throw new SignInError('provider_failed', `${url.origin}${url.pathname} returned no usable response`, { cause })
  }
}

/** The status and the OAuth error code. Omits the rest of the body, which may contain a code, token or secret. */
function errorText(status: number, text: string): string {
  const error = oauthErrorCode(parse(text)?.['error'])
  return `HTTP ${status}${error === null ? '' : ` ${error}`}`
}

/** Null for anything but an object or array. */
function parse(text: string): Json | null {
  const value = parsedJson(text)
  return typeof value === 'object' ? (value as Json | null) : null
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The non-empty string property `name`, or null. */
export function textOf(json: Json, name: string): string | null {
  const value = json[name]
  return typeof value === 'string' && value !== '' ? value : null
}
