import type { Config } from '../config.ts'
import type { RenderHistory } from '../core/fetch/render-history.ts'
import { COMMAND_LINE } from '../core/fetch/ports.ts'
import type { FetchTrace } from '../core/fetch/trace.ts'
import { createSlots } from '../fetch/connection/slots.ts'
import type { NetworkOptions } from '../fetch/connection/network.ts'
import { createFetchSlots } from '../fetch/fetcher.ts'
import type { MethodPreference, ReadResult } from '../service/lookup/reader.ts'
import { traced } from '../service/lookup/steps.ts'
import { createSingleFlight, type WaitOptions } from '../service/lookup/single-flight.ts'
import { memoryRenderHistory } from '../store/memory/render-history.ts'
import { type ChromiumOptions, openChromium } from './chromium.ts'
import { openReaders } from './readers.ts'
import { owning } from './owning.ts'

/** More pages at once would delay each other until they time out. */
const CONCURRENCY = 32

interface ReadOptions extends Pick<WaitOptions, 'timeoutMs' | 'language'>, Partial<Pick<WaitOptions, 'signal'>> {
  /** The maximum number of concurrent pages of a host; no limit by default. */
  perHost?: number
}

export type PageReader = ReturnType<typeof openPageReader>

/** Reads pages without a server, an API key or a database. */
export function openPageReader(config: Config, servedAt?: NetworkOptions['servedAt']) {
  const inMemory = { stored: null, now: Date.now, onError() {} }
  const history = config.learnsRendering ? memoryRenderHistory(inMemory) : null
  const reader = openReader(config, { history, servedAt })
  const singleFlight = createSingleFlight<ReadResult>()
  const slots = createSlots({ total: CONCURRENCY })
  return {
    /**
     * Waits for a free place, then reads a page.
     * @throws FetchError, such as `timed out after <timeoutMs> ms`; the reason of the signal
     */
    async read(url: URL, given: ReadOptions, trace: FetchTrace = { hops: [] }, preference?: MethodPreference) {
      const { perHost = CONCURRENCY, ...options } = given
      const waitOptions = { ...COMMAND_LINE, signal: new AbortController().signal, ...options }
      using _slot = await slots.take({ user: null, limits: [{ key: url.host, limit: perHost }] }, waitOptions.signal)
      const read = singleFlight.join(null, waitOptions, (budget) => reader.read(url, budget, trace, preference))
      return await traced(trace, read)
    },
    /** The JSON Schema of a result with its URL. Only loaded when it is needed. */
    schema: async () => (await import('../http/api/schema.ts')).metadataSchema(),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}

export interface ReaderOptions extends Pick<ChromiumOptions, 'browserResponseMs'>, Pick<NetworkOptions, 'servedAt'> {
  /** Null, the default, renders no page before the plain response. */
  history?: RenderHistory | null
}

/**
 * A reader in this thread, and its Chromium.
 */
export function openReader(config: Config, { history = null, browserResponseMs, servedAt }: ReaderOptions = {}) {
  const stack = new AsyncDisposableStack()
  const settings = () => config.live
  const slots = createFetchSlots(config.fetchConcurrency)
  const readers = stack.use(openReaders(config, settings, { ownPorts: () => [], slots, servedAt }))
  const chromium = stack.use(openChromium(config, settings, { browserResponseMs }))
  const reader = readers.readerWith({ renderer: chromium.renderer, history })
  return owning(stack, { ...reader, chromium })
}
