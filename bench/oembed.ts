// The cost of oEmbed requests, and the number of pages that need no rendering because of them. The sites are the test
// doubles of test/sites, on loopback with TLS. A page of the same kind without oEmbed is read alternately in the same run.
// usage: bun bench/main.ts oembed [rounds]
import { endpointOf } from '../src/core/oembed/endpoints.ts'
import type { Renderer } from '../src/core/fetch/ports.ts'
import { hostsOf, OEMBED_CASES, siteOf, type OembedCase } from '../test/sites/oembed-cases.ts'
import { openSites, type Sites } from '../test/sites/sites.ts'

const LOOKUPS = 100_000

export async function run([rounds = '20']: string[]) {
  measureLookups()
  const totals = { with: [] as number[], without: [] as number[], request: [] as number[] }
  let [renderedWith, renderedWithout, bytes] = [0, 0, 0]
  for (const one of OEMBED_CASES) {
    await using sites = await openSites(hostsOf(one), siteOf(one))
    renderedWith += Number(await isRendered(sites, one, true))
    renderedWithout += Number(await isRendered(sites, one, false))
    for (let round = 0; round < Number(rounds); round++) {
      for (const oembed of round % 2 === 0 ? [true, false] : [false, true]) {
        const startedAt = performance.now()
        const read = await sites.read(one.url, { oembed }).catch(() => null)
        totals[oembed ? 'with' : 'without'].push(performance.now() - startedAt)
        if (!oembed || read === null) continue
        totals.request.push(read.trace.oembed?.durationMs ?? 0)
        bytes += read.trace.oembed?.hops.reduce((sum, { wireBytes = 0 }) => sum + wireBytes, 0) ?? 0
      }
    }
  }
  const count = OEMBED_CASES.length
  console.log(`${count} pages: rendered ${renderedWithout} without oEmbed, ${renderedWith} with it`)
  console.log(
    `a page without oEmbed p50 ${median(totals.without)} ms, with it ${median(totals.with)} ms; ` +
      `the oEmbed request itself ${median(totals.request)} ms, ${Math.round(bytes / totals.request.length)} bytes`,
  )
}

/** Whether the page would be rendered if there were a browser. */
async function isRendered(sites: Sites, { url }: OembedCase, oembed: boolean): Promise<boolean> {
  let wasRendered = false
  const renderer: Renderer = {
    async render() {
      wasRendered = true
      return { failure: 'not_started', report: { durationMs: 0, requests: 0, bytes: 0, hosts: 0, refused: [] } }
    },
  }
  await sites.read(url, { oembed, renderer }).catch(() => {})
  return wasRendered
}

/** The time to find out whether a page has a known provider. */
function measureLookups() {
  const startedAt = performance.now()
  endpointOf(new URL('https://unknown.example/'))
  const firstMs = performance.now() - startedAt
  const lookUp = (page: URL) => {
    const start = performance.now()
    for (let i = 0; i < LOOKUPS; i++) endpointOf(page)
    return (((performance.now() - start) * 1_000) / LOOKUPS).toFixed(1)
  }
  const [unknown, known] = ['https://www.example.com/a', 'https://www.youtube.com/watch?v=1'].map((url) =>
    lookUp(new URL(url)),
  )
  console.log(`finding the endpoint: ${unknown} µs for an unknown page, ${known} µs for a known one`)
  console.log(`the first lookup of a process, which parses the registry: ${firstMs.toFixed(1)} ms`)
}

function median(durations: number[]): string {
  return (durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)] ?? 0).toFixed(1)
}
