import type { FixedConfig } from '../config.ts'
import { MINUTE_MS } from '../core/duration.ts'
import { FetchError } from '../core/errors.ts'
import type { ReadTexts } from '../core/fetch/ports.ts'
import type { LiveSettings } from '../core/settings/live-settings.ts'
import type { RenderHistory } from '../core/fetch/render-history.ts'
import { NO_DESCRIPTORS } from '../fetch/connection/descriptors.ts'
import { createFetchSlots } from '../fetch/fetcher.ts'
import { type Pool, startPool } from '../fetch/pool/pool.ts'
import type { Log } from '../log.ts'
import { tagsOfPage } from '../previews/tags/list-page-tags.ts'
import { pageTexts } from '../service/lookup/page-texts.ts'
import { type ChromiumOptions, openChromium } from './chromium.ts'
import { pageSettings } from './page-settings.ts'
import { openReaders, type ReadersOptions } from './readers.ts'
import { owning } from './owning.ts'

export interface ServerReaderOptions
  extends Pick<ReadersOptions, 'ownPorts'>, Pick<ChromiumOptions, 'browserResponseMs'> {
  /** Null disables rendering before the plain response. */
  history: RenderHistory | null
  log: Log
  /** The URL of the entry point of workers, if not the default. */
  workerEntry?: string | undefined
}

/** In the executable, entry points keep their paths relative to the project's root. */
const ENTRY = new URL(Bun.isStandaloneExecutable ? './src/compose/read-worker.ts' : './read-worker.ts', import.meta.url)
  .href

/** Reads pages for the server, in workers if there are any, and reports the current load. */
export async function openServerReader(
  config: FixedConfig,
  settings: () => LiveSettings,
  options: ServerReaderOptions,
) {
  const { ownPorts, history, log, workerEntry = ENTRY, browserResponseMs } = options
  await using stack = new AsyncDisposableStack()
  const slots = createFetchSlots(config.fetchConcurrency)
  const chromium = stack.use(openChromium(config, settings, { ownPorts, log, browserResponseMs }))
  const { renderer } = chromium
  const pool = stack.use(
    config.workers === 0
      ? poolOfThisThread()
      : await startPool(
          config.workers,
          { entry: workerEntry, settings: () => pageSettings(config, settings()), slots, renderer, history, ownPorts },
          ({ reason, host, error }) => log.error({ reason, host, detail: error }, 'a worker ended; starting another'),
        ),
  )

  function poolOfThisThread(): Pool {
    const readers = openReaders(config, settings, { ownPorts, slots })
    const reader = readers.readerWith({ renderer, history })
    return {
      read: async (url, budget, trace, listsTags) =>
        pageTexts(await reader.read(url, budget, trace), listsTags ? tagsOfPage : null),
      configure() {},
      status: () => ({ workers: 0, restarts: 0 }),
      [Symbol.asyncDispose]: () => readers[Symbol.asyncDispose](),
    }
  }

  return owning(stack, {
    read: reportingDescriptors(pool.read, log),
    /** Sends the current settings to the workers. */
    configure: pool.configure,
    status: () => ({ fetches: slots.pages.load(), chromium: chromium.status() }),
    browserCounts: () => chromium.counts,
    workers: pool.status,
  })
}

/** The minimum time between these log lines, in milliseconds. Without file descriptors, every request fails. */
const DESCRIPTOR_REPORT_MS = MINUTE_MS

/** Logs an error if no file descriptor is left, because the log line of a request mentions this only as a detail. */
function reportingDescriptors(read: ReadTexts, log: Log): ReadTexts {
  let reportedAtMs = -Infinity
  return async (...request) => {
    try {
      return await read(...request)
    } catch (error) {
      const isExhausted = error instanceof FetchError && error.detail === NO_DESCRIPTORS
      if (isExhausted && performance.now() - reportedAtMs > DESCRIPTOR_REPORT_MS) {
        reportedAtMs = performance.now()
        log.error({}, 'out of file descriptors: raise the limit of open files (ulimit -n, LimitNOFILE=)')
      }
      throw error
    }
  }
}
