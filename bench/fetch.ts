// The fetch engine against hostile servers: whether it keeps its timeouts, serves other requests meanwhile and does not
// leak memory. Then uncached responses compared with other libraries (bench/fresh.ts).
// usage: bun bench/main.ts fetch [--timeout MS] [--requests N] [--pages DIR] [--rounds N]
//        (after `bun run build`; peers: `bun install` in bench/peers, once)
import { parseArgs } from 'node:util'

import type { Fetcher } from '../src/core/fetch/ports.ts'
import { HOSTILE } from '../test/origin/hostile.ts'
import type { OriginPorts } from './fetch-origin.ts'
import { type Stall, watchEventLoop } from './event-loop.ts'
import { startFlood } from './flood.ts'
import { hostileFetcher, startFetchOrigin, tryFetch } from './hostile-fetches.ts'
import { percentile, timed } from './statistics.ts'
import { compareFresh } from './fresh.ts'

/** How long a fetch may take beyond its timeout. */
const ALLOWED_OVERRUN_MS = 250

/** Concurrent hostile requests. */
const HOSTILE_CONCURRENCY = 16
/** The pause between ordinary pages. */
const PAUSE_MS = 5

/** The timeout while the server compresses the bombs, in milliseconds. */
const BOMB_TIMEOUT_MS = 10_000
const FORBIDDEN_SPELLINGS = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:7f00:1]', 'localhost']

export async function run(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      timeout: { type: 'string', default: '1000' },
      requests: { type: 'string', default: '400' },
      pages: { type: 'string' },
      rounds: { type: 'string', default: '3' },
    },
  })
  await using origin = await startFetchOrigin()
  const { ports } = origin
  await using fetcher = hostileFetcher(ports)

  await measureHostile(fetcher, ports, Number(values.timeout), Number(values.requests))
  await connectToCanary(fetcher, ports)
  console.log(`canary on a forbidden port: ${await origin.canaryConnections()} connections`)
  await compareFresh(values.pages, Number(values.rounds))
}

/** Sends hostile requests, and ordinary ones at the same time. */
async function measureHostile(fetcher: Fetcher, ports: OriginPorts, timeoutMs: number, requests: number) {
  // Warm-up: the server compresses the bombs, which takes seconds; code is compiled and pools are filled.
  for (const [which, { isEndless }] of HOSTILE.entries()) {
    if (!isEndless) await tryFetch(fetcher, `http://127.0.0.1:${ports.hostile[which]}/`, BOMB_TIMEOUT_MS)
  }
  await attack(fetcher, ports, timeoutMs, HOSTILE.length)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const latencies: number[] = []
  const fetchGoodPage = async () => {
    latencies.push(await timed(() => tryFetch(fetcher, `http://127.0.0.1:${ports.good}/`, 5_000)))
    await Bun.sleep(PAUSE_MS)
  }
  const halves: number[] = []
  const stalls: Stall[] = []
  let worst = { name: '', overrunMs: -Infinity }
  {
    await using _ = startFlood(1, fetchGoodPage)
    for (let half = 0; half < 2; half++) {
      const loop = watchEventLoop()
      const result = await attack(fetcher, ports, timeoutMs, requests / 2)
      stalls.push(loop.stop())
      if (result.overrunMs > worst.overrunMs) worst = result
      Bun.gc(true)
      halves.push(process.memoryUsage.rss())
    }
  }
  console.log(
    `${requests} hostile requests of ${HOSTILE.length} kinds, ${HOSTILE_CONCURRENCY} concurrent, timeout ${timeoutMs} ms`,
  )
  console.log(
    `latest result: ${worst.overrunMs.toFixed(0)} ms after its timeout (${worst.name}); allowed ${ALLOWED_OVERRUN_MS}`,
  )
  const worstMs = Math.max(...stalls.map((stall) => stall.worstMs))
  const worstOwnMs = Math.max(...stalls.map((stall) => stall.worstOwnMs))
  console.log(
    `worst stall of the event loop: ${worstMs.toFixed(0)} ms, ${worstOwnMs.toFixed(0)} ms of it by its own work`,
  )
  console.log(
    `good pages during the attack: ${latencies.length}, median ${percentile(latencies, 50).toFixed(1)} ms, ` +
      `worst ${percentile(latencies, 100).toFixed(1)} ms`,
  )
  console.log(`resident memory: ${[before, ...halves].map((bytes) => `${Math.round(bytes / 1e6)} MB`).join(' → ')}`)
}

async function attack(fetcher: Fetcher, ports: OriginPorts, timeoutMs: number, requests: number) {
  let next = 0
  let worst = { name: '', overrunMs: -Infinity }
  await Promise.all(
    Array.from({ length: HOSTILE_CONCURRENCY }, async () => {
      while (next < requests) {
        const which = next++ % HOSTILE.length
        const startedAt = performance.now()
        await tryFetch(fetcher, `http://127.0.0.1:${ports.hostile[which]}/`, timeoutMs)
        const overrunMs = performance.now() - startedAt - timeoutMs
        if (overrunMs > worst.overrunMs) worst = { name: HOSTILE[which]?.name ?? '', overrunMs }
      }
    }),
  )
  return worst
}

async function connectToCanary(fetcher: Fetcher, { canary }: OriginPorts) {
  for (const host of FORBIDDEN_SPELLINGS) await tryFetch(fetcher, `http://${host}:${canary}/`, 1_000)
}
