// The servers of bench/fetch.ts, in a process of their own, so that their work does not count as that of the fetcher.
// Prints their ports as JSON and ends with its standard input.
import { HOSTILE } from '../test/origin/hostile.ts'
import { openRawOrigin } from '../test/origin/raw-origin.ts'
import { openSite, page } from '../test/origin/site.ts'

/** What the servers say of themselves. */
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
