// Repeatedly kills the executable under load with SIGKILL, and compares the number of successful responses with the number
// of requests charged in its database.
// usage: bun bench/main.ts crash [TIMES]      (after `bun run build`; default 50)
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { createInstallation } from './servers.ts'

const DEFAULT_TIMES = 50
const CLIENTS = 16
/** How long each server runs under load before it is killed, chosen at random from this range. */
const MIN_LIFE_MS = 100
const MAX_LIFE_MS = 500
/** Every other request is for one of these few pages, so most of those responses are cached. */
const CACHED_PAGES = 10

const PAGE = '<!doctype html><title>A page</title><meta name=description content=Text><link rel=icon href=/i><p>Text'

export async function run([times = String(DEFAULT_TIMES)]: string[]) {
  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  })
  using installation = createInstallation(origin.port!)
  let succeeded = 0
  let unfinished = 0
  let path = 0

  for (let i = 0; i < Number(times); i++) {
    await using server = await installation.start()
    const killed = new AbortController()
    const client = async () => {
      while (!killed.signal.aborted) {
        path++
        const page = path % 2 === 0 ? `/cached${path % CACHED_PAGES}` : `/fresh${path}`
        const query = new URLSearchParams({ url: `http://127.0.0.1:${origin.port}${page}` })
        try {
          const response = await fetch(`${server.base}/v1/metadata?${query}`, {
            headers: { 'x-api-key': installation.key },
          })
          await response.arrayBuffer()
          if (response.status !== 200) throw new Error(`status ${response.status}`)
          succeeded++
        } catch (error) {
          if (!killed.signal.aborted) throw error
          unfinished++
        }
      }
    }
    const clients = Promise.all(Array.from({ length: CLIENTS }, client))
    await Bun.sleep(MIN_LIFE_MS + Math.random() * (MAX_LIFE_MS - MIN_LIFE_MS))
    killed.abort()
    await server.kill()
    await clients
  }

  using database = new Database(join(installation.dir, 'data', 'urlmeta.db'), { readonly: true })
  const { used } = database.query('SELECT sum(used) AS used FROM monthly_usage').get() as { used: number }
  const integrity = database.query('PRAGMA integrity_check').values().flat().join(', ')
  console.log(
    `${times} kills: ${succeeded} succeeded, ${unfinished} interrupted, ${used} charged, integrity check: ${integrity}`,
  )
  // A successful request must have been charged; an interrupted one may or may not have been.
  if (used < succeeded || used > succeeded + unfinished || integrity !== 'ok') process.exitCode = 1
}
