// The servers of bench/fetch.ts, in a separate process so that their work is not measured as the fetcher's.
// Prints their ports as JSON and exits when its standard input ends.
import { HOSTILE } from '../test/origin/hostile.ts'
import { openRawOrigin } from '../test/origin/raw-origin.ts'
import { openSite, page } from '../test/origin/site.ts'

/** The ports of the servers. */
export interface OriginPorts {
  /** In the order of `HOSTILE`. */
  hostile: number[]
  good: number
  canary: number
}

const GOOD_PAGE = page(`<head><title>Good</title></head><body>${'<p>text</p>'.repeat(2_000)}`)

const hostile = await Promise.all(HOSTILE.map(({ respond, onConnect }) => openRawOrigin(respond, {}, onConnect)))
const good = await openSite({ '/': GOOD_PAGE })
const canary = await openRawOrigin((socket) => socket.end())

const ports: OriginPorts = { hostile: hostile.map(({ port }) => port), good: good.port, canary: canary.port }
console.log(JSON.stringify(ports))
for await (const line of console) {
  if (line === 'canary') console.log(canary.connections())
}
process.exit(0)
