import { answerOf, openRawOrigin, pathOf, type RawOrigin, type RawOriginOptions } from './raw-origin.ts'

/** One page of a site: its bytes on the wire, or what makes them from the request head. */
export type Route = Uint8Array | ((head: string) => Uint8Array)

/** A well-behaved server with a few pages; all others are 404. */
export async function openSite(
  routes: Readonly<Record<string, Route>>,
  options: RawOriginOptions = {},
): Promise<RawOrigin> {
  return openRawOrigin((socket, head) => {
    const route = routes[pathOf(head)] ?? answerOf(404, {})
    socket.end(typeof route === 'function' ? route(head) : route)
  }, options)
}

export function page(html: string | Uint8Array, contentType = 'text/html'): Buffer {
  return answerOf(200, { 'Content-Type': contentType }, html)
}

export function redirect(location: string, headers: Record<string, string> = {}, status = 302): Buffer {
  return answerOf(status, { Location: location, ...headers })
}

/** The value of a request header, or ''. */
export function headerOf(head: string, name: string): string {
  return new RegExp(`^${name}: (.*)\r$`, 'im').exec(head)?.[1] ?? ''
}
