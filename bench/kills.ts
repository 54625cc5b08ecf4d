// Kills the executable under load with SIGKILL again and again, and compares what it had answered with what its database
// says it charged.
// usage: bun bench/main.ts kills [TIMES]      (after `bun run build`; 50 times unless told)
import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { createInstallation } from './servers.ts'

const DEFAULT_TIMES = 50
const CLIENTS = 16
/** Each server lives this long under load, chosen at random. */
const MIN_LIFE_MS = 100
const MAX_LIFE_MS = 500
/** Every other request is for one of so few pages that it is mostly cached. */
const CACHED_PAGES = 10

const PAGE = '<!doctype html><title>A page</title><meta name=description content=Text><link rel=icon href=/i><p>Text'

export async function run([times = String(DEFAULT_TIMES)]: string[]) {
  using origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  })
  using installation = createInstallation(origin.port!)
  let answered = 0
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
          answered++
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
    `${times} kills: ${answered} answered, ${unfinished} cut off, ${used} charged, integrity check: ${integrity}`,
  )
  // A request that was cut off may have been charged or not; one that was answered must have been.
  if (used < answered || used > answered + unfinished || integrity !== 'ok') process.exitCode = 1
}
