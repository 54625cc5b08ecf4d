// Pages, and a flood of requests for them by one key, at the lowest priority: in reality, clients and sites use other
// processors than the server. Used by bench/other-key.ts. Prints its port; `/start?server=…&key=…&page=…` starts a flood and
// `/stop` ends it.
import { constants, setPriority } from 'node:os'

import { HOSTILE_PAGES } from '../test/core/extract/hostile-pages.ts'
import { startFlood } from './flood.ts'

const CONCURRENCY = 16
const PAGE_BYTES = 2 * 1024 * 1024

setPriority(constants.priority.PRIORITY_LOW)
const headers = { 'content-type': 'text/html' }
/** Built once, because building one takes longer than sending it. */
const hostilePage = Buffer.from(HOSTILE_PAGES['unclosed div']!(PAGE_BYTES))
let flood: AsyncDisposable | null = null
let requests = 0

const site = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/small': () => new Response('<title>Small</title>', { headers }),
    '/hostile': () => new Response(hostilePage, { headers }),
    '/start': ({ url }) => {
      const { server, key, page } = Object.fromEntries(new URL(url).searchParams)
      flood = startFlood(CONCURRENCY, async () => {
        const target = encodeURIComponent(`http://127.0.0.1:${site.port}/${page}?${requests++}`)
        await (await fetch(`${server}/v1/metadata?url=${target}`, { headers: { 'x-api-key': key! } })).arrayBuffer()
      })
      return new Response()
    },
    '/stop': async () => {
      await flood?.[Symbol.asyncDispose]()
      return new Response()
    },
  },
})
console.log(site.port)
