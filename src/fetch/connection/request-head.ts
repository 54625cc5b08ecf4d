/** Characters that a header field must not contain (RFC 9110 section 5.5). A line break would start another field. */
export const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** A request to send: a POST if it has a body, otherwise a GET. */
export interface RequestToSend {
  url: URL
  headers: Record<string, string>
  body?: string
}

/**
 * Returns the request as it is sent (RFC 9112 section 3).
 * @throws Error if a header cannot be sent
 */
export function requestBytes({ url, headers, body }: RequestToSend): Buffer {
  const content = body === undefined ? null : Buffer.from(body)
  const named = {
    Host: url.host,
    ...headers,
    ...(content !== null && { 'Content-Length': String(content.length) }),
    Connection: 'keep-alive',
  }
  // Field names are case-insensitive. The last one wins: a rule for a site may replace a field.
  const fields = new Map(Object.entries(named).map((field) => [field[0].toLowerCase(), field]))
  const lines = Array.from(fields.values(), ([name, value]) => {
    if (UNSENDABLE.test(value)) throw new Error(`the header ${name} has a character that cannot be sent`)
    return `${name}: ${value}\r\n`
  })
  const requestLine = `${content === null ? 'GET' : 'POST'} ${url.pathname}${url.search} HTTP/1.1\r\n`
  const head = Buffer.from(`${requestLine}${lines.join('')}\r\n`, 'latin1')
  return content === null ? head : Buffer.concat([head, content])
}
