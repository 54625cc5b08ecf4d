import { bytesText } from '../../core/byte-count.ts'
import { MINUTE_MS } from '../../core/duration.ts'
import { LIMIT_REACHED } from '../../core/fetch/image-facts.ts'
import { type OembedFacts, oembedFactsOf, unknownOembed } from '../rules/oembed-facts.ts'
import { MAX_OEMBED_BYTES, OEMBED_ACCEPT } from '../../core/oembed/result.ts'
import { type Caller, type FileFetcher, keyFor } from '../../core/fetch/ports.ts'
import type { RateLimiter } from '../../core/usage/rate-limiter.ts'
import { countedAs } from './preview-caller.ts'
import type { RobotsCache } from '../stores/robots-cache.ts'
import { type RobotsFacts, robotsFactsOf, type RobotsFile, robotsTxtOf, robotsUrlOf } from '../rules/robots.ts'
import { MAX_ROBOTS_BYTES } from '../rules/robots-txt.ts'

/** Files per caller and minute, enough for a few pages, each with a robots.txt for the page and for its images. */
const PER_MINUTE = 60

/** The maximum number of URLs to look up in robots.txt: the page, the requested URL, and the first images. */
const MAX_URLS = 5

/** How long a robots.txt is cached. A fetch that bypasses the result cache bypasses this cache too. */
const ROBOTS_TTL_MS = 5 * MINUTE_MS

export interface InspectOptions {
  signal: AbortSignal
  /** Whether a robots.txt that was read a few minutes ago may be used. */
  readCache: boolean
}

/** Requests the small files that belong to a page, for its link previews and checks. */
export type PageFiles = ReturnType<typeof createPageFiles>

export interface PageFilesDeps {
  files: FileFetcher
  cache: RobotsCache
  limiter: RateLimiter
  now: () => number
}

export function createPageFiles({ files, cache, limiter, now }: PageFilesDeps) {
  async function isAllowed(caller: Caller): Promise<boolean> {
    return (await limiter.take([{ key: `files ${countedAs(caller)}`, limit: PER_MINUTE }], now())).allowed
  }

  async function readRobots(caller: Caller, url: URL, options: InspectOptions): Promise<RobotsFile> {
    const { signal, readCache } = options
    // A file of a private host must not be found by callers that may not request it.
    const key = keyFor(caller, url.origin)
    const kept = readCache ? cache.get(key) : null
    if (kept !== null && now() - kept.readAtMs < ROBOTS_TTL_MS) return robotsTxtOf(kept.text)
    if (!(await isAllowed(caller))) return { problem: LIMIT_REACHED }
    const request = { accept: 'text/plain,*/*;q=0.8', maxBytes: MAX_ROBOTS_BYTES, caller }
    const file = await files.fetch(robotsUrlOf(url), request, signal)
    if ('problem' in file) return file
    // Without a robots.txt everything is allowed (RFC 9309 section 2.3.1.3), but not while the server has a problem.
    if (file.status >= 500 || file.status === 429) return { problem: `HTTP ${file.status}` }
    const text = new TextDecoder().decode(file.bytes)
    cache.put(key, { text, readAtMs: now() })
    return robotsTxtOf(text)
  }

  return {
    /** The facts from robots.txt for the first `MAX_URLS` URLs. Never throws. */
    async robots(caller: Caller, urls: readonly string[], options: InspectOptions): Promise<RobotsFacts[]> {
      const targets = [...new Set(urls)].slice(0, MAX_URLS).map((url) => new URL(url))
      const reads = new Map<string, Promise<RobotsFile>>()
      for (const url of targets) if (!reads.has(url.origin)) reads.set(url.origin, readRobots(caller, url, options))
      return Promise.all(targets.map(async (url) => robotsFactsOf(url, await reads.get(url.origin)!)))
    },

    /** The response of an oEmbed endpoint. Never throws. */
    async oembed(caller: Caller, endpoint: string, signal: AbortSignal): Promise<OembedFacts> {
      if (!(await isAllowed(caller))) return unknownOembed(endpoint, LIMIT_REACHED)
      const options = { accept: OEMBED_ACCEPT, maxBytes: MAX_OEMBED_BYTES + 1, caller }
      const file = await files.fetch(new URL(endpoint), options, signal)
      if ('problem' in file) return unknownOembed(endpoint, file.problem)
      if (file.status !== 200) return unknownOembed(endpoint, `HTTP ${file.status}`)
      if (file.bytes.length > MAX_OEMBED_BYTES) return unknownOembed(endpoint, `over ${bytesText(MAX_OEMBED_BYTES)}`)
      return oembedFactsOf(endpoint, file)
    },
  }
}
