import { responseBytes, openRawOrigin, pathOf, type RawOrigin, type RawOriginOptions } from './raw-origin.ts'

/** A page of a site: the bytes of the response, or a function from the request head to them. */
export type Route = Uint8Array | ((head: string) => Uint8Array)

/** A server with the given pages; all other paths are 404. */
export async function openSite(
  routes: Readonly<Record<string, Route>>,
  options: RawOriginOptions = {},
): Promise<RawOrigin> {
  return openRawOrigin((socket, head) => {
    const route = routes[pathOf(head)] ?? responseBytes(404, {})
    socket.end(typeof route === 'function' ? route(head) : route)
  }, options)
}

export function page(html: string | Uint8Array, contentType = 'text/html'): Buffer {
  return responseBytes(200, { 'Content-Type': contentType }, html)
}

export function redirect(location: string, headers: Record<string, string> = {}, status = 302): Buffer {
  return responseBytes(status, { Location: location, ...headers })
}

/** The value of a request header, or ''. */
export function headerOf(head: string, name: string): string {
  return new RegExp(`^${name}: (.*)\r$`, 'im').exec(head)?.[1] ?? ''
}
