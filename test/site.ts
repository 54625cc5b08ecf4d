import type { Service } from './executable.ts'

type Server = Pick<Service, 'url'>

/** A page with a title and an icon. */
export function page(status = 200, html = '<!doctype html><title>A saved page</title><link rel=icon href=/icon.png>') {
  return new Response(html, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** Starts a site on loopback for the executable to fetch. Its path `/held` responds only after `release`. */
export function openSite(respond: (pathname: string) => Response | Promise<Response> = () => page()) {
  const requested = new Map<string, number>()
  let release = () => {}
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      requested.set(pathname, (requested.get(pathname) ?? 0) + 1)
      if (pathname === '/held') await new Promise<void>((resolve) => (release = resolve))
      return respond(pathname)
    },
  })
  const host = `127.0.0.1:${server.port}`
  const urlOf = (path: string) => `http://${host}${path}`
  const request = ({ url }: Server, key: string, path: string) =>
    fetch(`${url}/v1/metadata?timeout=15000&url=${encodeURIComponent(urlOf(path))}`, { headers: { 'x-api-key': key } })
  return {
    port: server.port,
    urlOf,
    /** How often each path was requested. */
    requested,
    /** The setting that allows fetching from this site. */
    env: { URLMETA_ALLOW_PRIVATE_HOSTS: host },
    /** Requests the metadata of a page of this site. */
    request,
    /** Starts a request that stays in progress until `release` is called. */
    async requestHeld(service: Server, key: string) {
      const idle = (release = () => {})
      const response = request(service, key, '/held')
      await until(() => release !== idle)
      return { response, release }
    },
    close: () => server.stop(true),
  }
}

/** Waits for a condition. The timeout of the test is its deadline. */
export async function until(condition: () => boolean | Promise<boolean>, intervalMs = 5): Promise<void> {
  while (!(await condition())) await Bun.sleep(intervalMs)
}
