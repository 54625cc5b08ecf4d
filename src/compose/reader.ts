import type { Config } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import { isHeadComplete } from '../core/extract/extract.ts'
import type { Fetcher, Renderer } from '../core/ports.ts'
import { findChromium } from '../fetch/chromium/executable.ts'
import { createFetcher } from '../fetch/fetcher.ts'
import { createRenderer } from '../fetch/renderer.ts'
import type { Log } from '../log.ts'
import { createExtractor } from '../service/extractor.ts'
import { createGauge, type Gauge, type Load } from '../service/gauge.ts'
import { createReader, type Reader } from '../service/reader.ts'

/** The state of Chromium: off by configuration, not found, not started yet, running, or failed to start. */
export interface ChromiumStanding extends Load {
  state: 'off' | 'missing' | 'ready' | 'running' | 'failed'
  /** Its path, its version, or why it failed. */
  detail: string
}

/** A reader with its current load. */
export interface OpenReader extends Reader, AsyncDisposable {
  standing(): { fetches: Load; chromium: ChromiumStanding }
}

/** The network options shared by fetcher, renderer and image proxy. */
export function outward({ allowPrivateHosts, dnsServers, userAgent }: Config, ownPorts: () => readonly number[]) {
  return { allow: allowPrivateHosts, dnsServers, userAgent: userAgent.text, ownPorts }
}

/** The path of the Chromium to use; null for none. It is not started yet. */
export function chromiumOf({ chromium }: Config): string | null {
  if (chromium.from === 'nowhere') return null
  return chromium.from === 'path' ? chromium.path : findChromium()
}

export function openReader(config: Config, ownPorts: () => readonly number[], log?: Log): OpenReader {
  const stack = new AsyncDisposableStack()
  const extractor = createExtractor()
  const fetcher = stack.use(
    createFetcher({
      ...outward(config, ownPorts),
      retriesAsBrowser: config.userAgent.isOurs,
      concurrency: config.fetchConcurrency,
      isHeadComplete,
      refreshOf: extractor.refreshOf,
    }),
  )
  const executable = chromiumOf(config)
  const chromium: Pick<ChromiumStanding, 'state' | 'detail'> = initialState(config, executable)
  let runningBrowsers = 0
  const renderer =
    executable === null
      ? null
      : stack.use(
          createRenderer({
            ...outward(config, ownPorts),
            executable,
            concurrency: config.headlessConcurrency,
            userAgent: config.userAgent.isOurs ? null : config.userAgent.text,
            onStart({ version, hasSandbox }) {
              runningBrowsers++
              Object.assign(chromium, { state: 'running', detail: version })
              log?.info({ executable, version, hasSandbox }, 'Chromium has started')
            },
            onEnd() {
              runningBrowsers--
              // A replaced browser ends after its successor has started.
              if (runningBrowsers === 0 && chromium.state === 'running') {
                Object.assign(chromium, initialState(config, executable))
              }
            },
            onFault(err) {
              Object.assign(chromium, { state: 'failed', detail: messageOf(err) })
              log?.error({ err, executable }, 'Chromium does not work')
            },
          }),
        )
  const [fetches, renderings] = [createGauge(config.fetchConcurrency), createGauge(config.headlessConcurrency)]
  const reader = createReader({
    fetcher: gaugedFetcher(fetcher, fetches),
    renderer: renderer && gaugedRenderer(renderer, renderings),
    extractor,
    now: Date.now,
  })
  return {
    ...reader,
    standing: () => ({ fetches: fetches.read(), chromium: { ...chromium, ...renderings.read() } }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function initialState({ chromium }: Config, executable: string | null): Pick<ChromiumStanding, 'state' | 'detail'> {
  if (chromium.from === 'nowhere') return { state: 'off', detail: '' }
  return executable === null ? { state: 'missing', detail: '' } : { state: 'ready', detail: executable }
}

function gaugedFetcher(fetcher: Fetcher, gauge: Gauge): Fetcher {
  return { ...fetcher, fetch: (url, budget, trace) => gauge.around(() => fetcher.fetch(url, budget, trace)) }
}

function gaugedRenderer(renderer: Renderer, gauge: Gauge): Renderer {
  return { render: (url, budget) => gauge.around(() => renderer.render(url, budget)) }
}
