// The servers of bench/fetch.ts and bench/stalls.ts, in a separate process so that their work is not measured as the fetcher's.
// Prints their ports as JSON and exits when its standard input ends. With a port, those that hostile pages are requested from are
// this one and the following ones, on all addresses; otherwise all are free ones on loopback.
// usage: bun bench/fetch-origin.ts [PORT]
import { HOSTILE_PAGES } from '../test/core/extract/hostile-pages.ts'
import { HOSTILE } from '../test/origin/hostile.ts'
import { openRawOrigin } from '../test/origin/raw-origin.ts'
import { openSite, page } from '../test/origin/site.ts'

/** The ports of the servers. */
export interface OriginPorts {
  /** In the order of `HOSTILE`. */
  hostile: number[]
  good: number
  /** Of a server with the hostile pages: `/0` is the first of `HOSTILE_PAGES`. */
  pages: number
  canary: number
}

const GOOD_PAGE = page(`<head><title>Good</title></head><body>${'<p>text</p>'.repeat(2_000)}`)

const PAGE_BYTES = 2 * 1024 * 1024
const firstPort = Number(Bun.argv[2] ?? 0)
const hostname = firstPort === 0 ? '127.0.0.1' : '0.0.0.0'
const portOf = (n: number) => (firstPort === 0 ? 0 : firstPort + n)

const hostilePages = Object.values(HOSTILE_PAGES)

const hostile = await Promise.all(
  HOSTILE.map(({ respond, onConnect }, n) => openRawOrigin(respond, { host: hostname, port: portOf(n) }, onConnect)),
)
const good = await openSite({ '/': GOOD_PAGE })
const pages = Bun.serve({
  port: portOf(HOSTILE.length),
  hostname,
  fetch({ url }) {
    const hostilePage = hostilePages[Number(new URL(url).pathname.slice(1))]
    if (hostilePage === undefined) return new Response('', { status: 404 })
    return new Response(hostilePage(PAGE_BYTES), { headers: { 'content-type': 'text/html' } })
  },
})
const canary = await openRawOrigin((socket) => socket.end())

const ports: OriginPorts = {
  hostile: hostile.map(({ port }) => port),
  good: good.port,
  pages: pages.port!,
  canary: canary.port,
}
console.log(JSON.stringify(ports))
for await (const line of console) {
  if (line === 'canary') console.log(canary.connections())
}
process.exit(0)
