import { MINUTE_MS } from '../core/duration.ts'
import type { Config } from '../config.ts'
import { FetchError, messageOf } from '../core/errors.ts'
import { PageScan } from '../core/extract/extract.ts'
import type { Fetcher, Renderer } from '../core/fetch/ports.ts'
import type { RenderHistory } from '../core/fetch/render-history.ts'
import { siteOf } from '../core/sites/sites.ts'
import type { ChromiumSource } from '../fetch/chromium/engine.ts'
import { findChromium } from '../fetch/chromium/executable.ts'
import { NO_DESCRIPTORS } from '../fetch/connection/descriptors.ts'
import { createFetcher } from '../fetch/fetcher.ts'
import { maskedBrowserUrl } from '../fetch/chromium/remote-browser.ts'
import { createRenderer } from '../fetch/chromium/renderer.ts'
import type { Log } from '../log.ts'
import { createExtractor } from '../service/lookup/extractor.ts'
import {
  createConcurrencyCounter,
  type ConcurrencyCounter,
  type Load,
} from '../service/playground/concurrency-counter.ts'
import { createOembedLookup } from '../service/lookup/oembed.ts'
import { createReader, type Reader } from '../service/lookup/reader.ts'

/** The state of Chromium: off by configuration, not found, not started yet, running, or failed to start. */
export interface ChromiumStatus extends Load {
  state: 'off' | 'missing' | 'ready' | 'running' | 'failed'
  /** Its path, its version, or the reason of the failure. */
  detail: string
}

/** Events of Chromium since the server started. */
export interface BrowserCounts {
  launches: number
  /** Unexpected exits. */
  crashes: number
  /** Starts that failed, browsers that hung, and crashes. */
  faults: number
}

/** A reader that reports its current load. */
export interface OpenReader extends Reader, AsyncDisposable {
  status(): { fetches: Load; chromium: ChromiumStatus }
  browserCounts(): Readonly<BrowserCounts>
}

/** The network options shared by fetcher, renderer and image proxy. */
export function networkOptions(
  { allowPrivateHosts, dnsServers, egressProxy, sites, userAgent }: Config,
  ownPorts: () => readonly number[],
) {
  return { allow: allowPrivateHosts, dnsServers, egressProxy, sites, userAgent: userAgent.text, ownPorts }
}

/** Finds the Chromium to use, without starting it; null for none. */
export function chromiumOf({ chromium }: Config): ChromiumSource | null {
  if (chromium.mode === 'off') return null
  if (chromium.mode === 'remote') return chromium
  const executable = chromium.mode === 'path' ? chromium.path : findChromium()
  return executable === null ? null : { executable }
}

/** The path or address of Chromium, for display. */
export function chromiumName(source: ChromiumSource): string {
  return 'url' in source ? maskedBrowserUrl(source.url) : source.executable
}

export interface ReaderOptions {
  /** The ports this process listens on. */
  ownPorts?: () => readonly number[]
  /** Null disables rendering before the plain response. */
  history?: RenderHistory | null
  log?: Log
}

export function openReader(config: Config, options: ReaderOptions = {}): OpenReader {
  const { ownPorts = () => [], history = null, log } = options
  const stack = new AsyncDisposableStack()
  const extractor = createExtractor(Date.now)
  const fetcher = stack.use(
    createFetcher({
      ...networkOptions(config, ownPorts),
      isDefaultUserAgent: config.userAgent.isDefault,
      concurrency: config.fetchConcurrency,
      startScan: (url) => new PageScan(url, undefined, Date.now(), siteOf(url.hostname, config.sites).read),
      refreshOf: extractor.refreshOf,
    }),
  )
  const source = chromiumOf(config)
  const executable = source && chromiumName(source)
  const chromium: Pick<ChromiumStatus, 'state' | 'detail'> = initialState(config, executable)
  let runningBrowsers = 0
  const counts: BrowserCounts = { launches: 0, crashes: 0, faults: 0 }
  let nextStartAtMs = -Infinity
  const renderer =
    source === null
      ? null
      : stack.use(
          createRenderer({
            ...networkOptions(config, ownPorts),
            chromium: source,
            concurrency: config.headlessConcurrency,
            userAgent: config.userAgent.isDefault ? null : config.userAgent.text,
            onStart({ version, hasSandbox }) {
              runningBrowsers++
              counts.launches++
              Object.assign(chromium, { state: 'running', detail: version })
              log?.info({ executable, version, hasSandbox }, 'Chromium started')
            },
            onEnd(isUnexpected) {
              runningBrowsers--
              if (isUnexpected) counts.crashes++
              // A replaced browser exits after its successor has started.
              if (runningBrowsers === 0 && chromium.state === 'running') {
                Object.assign(chromium, initialState(config, executable))
              }
            },
            onError(err) {
              counts.faults++
              Object.assign(chromium, { state: 'failed', detail: messageOf(err) })
              log?.error({ err, executable }, 'Chromium failed')
            },
            onBackOff: (remainingMs) => (nextStartAtMs = performance.now() + remainingMs),
          }),
        )
  const [fetches, renders] = [
    createConcurrencyCounter(config.fetchConcurrency),
    createConcurrencyCounter(config.headlessConcurrency),
  ]
  const reader = createReader({
    fetcher: countedFetcher(reportingFetcher(fetcher, log), fetches),
    renderer: renderer && countedRenderer(renderer, renders),
    extractor,
    oembed: config.oembed
      ? createOembedLookup({ fetcher, allow: config.allowPrivateHosts, sites: config.sites })
      : null,
    history,
    sites: config.sites,
    now: Date.now,
  })
  return {
    ...reader,
    status() {
      const waitSeconds = Math.ceil((nextStartAtMs - performance.now()) / 1_000)
      const isWaiting = chromium.state === 'failed' && waitSeconds > 0
      const detail = isWaiting ? `${chromium.detail} (retry in ${waitSeconds} s)` : chromium.detail
      return { fetches: fetches.read(), chromium: { ...chromium, detail, ...renders.read() } }
    },
    browserCounts: () => counts,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function initialState({ chromium }: Config, executable: string | null): Pick<ChromiumStatus, 'state' | 'detail'> {
  if (chromium.mode === 'off') return { state: 'off', detail: '' }
  return executable === null ? { state: 'missing', detail: '' } : { state: 'ready', detail: executable }
}

/** The minimum time between these log lines, in milliseconds, because every request fails without descriptors. */
const DESCRIPTOR_REPORT_MS = MINUTE_MS

/** Logs an error when no file descriptor is left; request log lines mention it only as a detail. */
function reportingFetcher(fetcher: Fetcher, log: Log | undefined): Fetcher {
  let reportedAtMs = -Infinity
  return {
    ...fetcher,
    async fetch(url, budget, trace) {
      try {
        return await fetcher.fetch(url, budget, trace)
      } catch (error) {
        const isExhausted = error instanceof FetchError && error.detail === NO_DESCRIPTORS
        if (isExhausted && performance.now() - reportedAtMs > DESCRIPTOR_REPORT_MS) {
          reportedAtMs = performance.now()
          log?.error({}, 'out of file descriptors: raise the limit of open files (ulimit -n, LimitNOFILE=)')
        }
        throw error
      }
    },
  }
}

function countedFetcher(fetcher: Fetcher, counter: ConcurrencyCounter): Fetcher {
  return { ...fetcher, fetch: (url, budget, trace) => counter.track(() => fetcher.fetch(url, budget, trace)) }
}

function countedRenderer(renderer: Renderer, counter: ConcurrencyCounter): Renderer {
  return { render: (url, budget) => counter.track(() => renderer.render(url, budget)) }
}
