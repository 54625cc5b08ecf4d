import type { FixedConfig } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import type { ChromiumStatus, Load } from '../core/fetch/runtime-status.ts'
import type { CurrentSettings } from '../core/settings/live-settings.ts'
import { maskedBrowserUrl } from '../core/net/remote-chromium.ts'
import type { ChromiumSource } from '../fetch/chromium/engine.ts'
import { findChromium, isExecutable } from '../fetch/chromium/executable.ts'
import { createRenderer } from '../fetch/chromium/renderer.ts'
import type { Log } from '../log.ts'
import { networkOptions } from './page-settings.ts'

/** Finds the Chromium to use, without starting it; null if there is none. */
export function chromiumOf({ chromium }: FixedConfig): ChromiumSource | null {
  if (chromium.mode === 'off') return null
  if (chromium.mode === 'remote') return chromium
  const executable = chromium.mode === 'path' ? chromium.path : findChromium()
  return executable === null ? null : { executable }
}

/** True if Chromium is on another machine, or its file can be executed. */
export function mayStart(source: ChromiumSource | null): boolean {
  return source !== null && ('url' in source || isExecutable(source.executable))
}

/** A path or an address, for display. */
export function chromiumName(source: ChromiumSource): string {
  return 'url' in source ? maskedBrowserUrl(source.url) : source.executable
}

export interface ChromiumOptions {
  /** The ports of this server, which no page may request; none by default. */
  ownPorts?: () => readonly number[]
  log?: Log
  /** How long the browser may take to respond before it is replaced, in milliseconds, if not the default. */
  browserResponseMs?: number | undefined
}

/** Prepares the browser that renders pages. The first page starts the browser, and disposing stops it. */
export function openChromium(
  config: FixedConfig,
  settings: CurrentSettings<'allow' | 'sites'>,
  { ownPorts = () => [], log, browserResponseMs }: ChromiumOptions = {},
) {
  const source = chromiumOf(config)
  const executable = source && chromiumName(source)
  const chromium = initialState(config, source)
  if (chromium.state === 'missing') log?.warn({ executable }, 'Chromium not found: pages are read without JavaScript')
  let runningBrowsers = 0
  /** Counted since the server started. Crashes are unexpected exits; faults also include failed starts and hangs. */
  const counts = { launches: 0, crashes: 0, faults: 0 }
  let nextStartAtMs = -Infinity
  const renderer =
    source === null
      ? null
      : createRenderer({
          ...networkOptions(config, settings, ownPorts),
          chromium: source,
          concurrency: config.headlessConcurrency,
          responseMs: browserResponseMs,
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
              Object.assign(chromium, initialState(config, source))
            }
          },
          onError(err) {
            counts.faults++
            Object.assign(chromium, { state: 'failed', detail: messageOf(err) })
            log?.error({ err, executable }, 'Chromium failed')
          },
          onBackOff: (remainingMs) => (nextStartAtMs = performance.now() + remainingMs),
        })
  const idle: Load = { active: 0, waiting: 0, limit: config.headlessConcurrency }
  return {
    /** Null when no browser is available. */
    renderer,
    status(): ChromiumStatus {
      const waitSeconds = Math.ceil((nextStartAtMs - performance.now()) / 1_000)
      const isWaiting = chromium.state === 'failed' && waitSeconds > 0
      const detail = isWaiting ? `${chromium.detail} (retry in ${waitSeconds} s)` : chromium.detail
      return { ...chromium, detail, ...(renderer?.load() ?? idle) }
    },
    counts,
    [Symbol.asyncDispose]: async () => void (await renderer?.[Symbol.asyncDispose]()),
  }
}

type BrowserState = Pick<ChromiumStatus, 'state' | 'detail'>

function initialState({ chromium }: FixedConfig, source: ChromiumSource | null): BrowserState {
  if (chromium.mode === 'off') return { state: 'off', detail: '' }
  return { state: mayStart(source) ? 'ready' : 'missing', detail: source === null ? '' : chromiumName(source) }
}
