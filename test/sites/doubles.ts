import { openDnsServer } from '../origin/dns-server.ts'
import { answerOf, openRawOrigin } from '../origin/raw-origin.ts'

/** A request to a double. */
export interface ReceivedRequest {
  /** With the site's own host, over https. */
  url: URL
  userAgent: string
  /** The Cookie header, or ''. */
  cookie: string
}

/** The response of a double. */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
}

/** The responses of one host, as described in the public reports of a case. */
export type Double = (request: ReceivedRequest) => Reply

/** Doubles by host. Other hosts respond with 404. */
export type Doubles = Readonly<Record<string, Double>>

export function html(body: string, status = 200, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body }
}

/** A page with the tags that sites send to link previews. */
export function tags(title: string, siteName: string): Reply {
  return html(
    `<!doctype html><title>${siteName}</title><meta property="og:title" content="${title}">` +
      `<meta property="og:description" content="About ${title}"><meta property="og:site_name" content="${siteName}">` +
      `<meta property="og:image" content="/image.jpg"></head><body><h1>${title}</h1>`,
  )
}

export function redirectTo(location: string, status = 302): Reply {
  return { status, headers: { Location: location }, body: '' }
}

/** Recognises bots as most sites do, by the word in the User-Agent. */
export const isBot = ({ userAgent }: ReceivedRequest) => /bot/i.test(userAgent)

/** Recognises browsers as sites do. */
export const isBrowser = ({ userAgent }: ReceivedRequest) => /Chrome\//.test(userAgent)

/** Sites on loopback, each under its own name. */
export interface DoubledSites extends AsyncDisposable {
  port: number
  /** For URLMETA_DNS_SERVERS. */
  dnsServer: string
  /** Uses these doubles from now on. */
  use(doubles: Doubles): void
  /** Requests so far, without those for favicons. */
  requests: ReceivedRequest[]
  /** `https://host/…` as it can be requested here, and back. */
  toLocal(url: string): string
  toPublic(text: string): string
}

/**
 * One origin and one DNS server for all sites. They are served over plain HTTP on a free port: addresses of doubled hosts
 * in Location headers and pages are changed to match.
 */
export async function openDoubledSites(): Promise<DoubledSites> {
  let doubles: Doubles = {}
  const requests: ReceivedRequest[] = []
  await using stack = new AsyncDisposableStack()
  const origin = stack.use(
    await openRawOrigin((socket, head) => {
      const request = parseRequest(head)
      if (request.url.pathname === '/favicon.ico') return socket.end(answerOf(404, {}))
      requests.push(request)
      const { status, headers, body } = doubles[request.url.hostname]?.(request) ?? html('Not found', 404)
      const { Location: location, ...others } = headers
      socket.end(answerOf(status, { ...others, ...(location && { Location: toLocal(location) }) }, toLocal(body)))
    }),
  )
  // All names resolve to loopback.
  const everyName = new Proxy({}, { get: () => () => ({ A: ['127.0.0.1'] }) })
  const dns = stack.use(await openDnsServer(everyName))

  function toLocal(text: string): string {
    return text.replaceAll(/https:(\\?\/\\?\/)([\w.-]+)/g, (whole, slashes: string, host: string) =>
      host in doubles ? `http:${slashes}${host}:${origin.port}` : whole,
    )
  }

  const owned = stack.move()
  return {
    port: origin.port,
    dnsServer: dns.address,
    use: (next) => void (doubles = next),
    requests,
    toLocal,
    toPublic: (text) => text.replaceAll(new RegExp(`http://([\\w.-]+):${origin.port}`, 'g'), 'https://$1'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function parseRequest(head: string): ReceivedRequest {
  const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(head)?.[1] ?? ''
  const host = header('Host').replace(/:\d+$/, '')
  return {
    url: new URL(head.split(' ', 2)[1] ?? '/', `https://${host}`),
    userAgent: header('User-Agent'),
    cookie: header('Cookie'),
  }
}
