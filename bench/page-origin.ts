// The origin of bench/fresh.ts: any path is a page. usage: bun bench/page-origin.ts [DIR]; prints its port.
import { pagesOf } from './pages.ts'

const pages = pagesOf(Bun.argv[2])
const headers = { 'content-type': 'text/html; charset=utf-8' }
let next = 0
const server = Bun.serve({
  port: 0,
  hostname: '0.0.0.0',
  fetch: () => new Response(pages[next++ % pages.length], { headers }),
})
console.log(server.port)
