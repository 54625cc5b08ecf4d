import type { Config } from '../config.ts'
import type { FetchTrace } from '../core/fetch/trace.ts'
import type { MethodPreference, ReadResult } from '../service/lookup/reader.ts'
import { createSingleFlight } from '../service/lookup/single-flight.ts'
import { openReader } from './reader.ts'
import { openRenderHistory } from './render-history.ts'

export type { MethodPreference, ReadResult }

/** Reads pages without a server, an API key or a database. */
export interface PageReader extends AsyncDisposable {
  /** @throws FetchError, after `timeoutMs` at the latest, then with the reason `timed out after <timeoutMs> ms` */
  read(url: URL, timeoutMs: number, trace?: FetchTrace, preference?: MethodPreference): Promise<ReadResult>
}

export function openPageReader(config: Config): PageReader {
  const reader = openReader(config, { history: openRenderHistory(config, null) })
  const singleFlight = createSingleFlight<ReadResult>()
  return {
    read: (url, timeoutMs, trace, preference) =>
      singleFlight.join(null, { userId: null, timeoutMs, signal: new AbortController().signal }, (budget) =>
        reader.read(url, budget, trace, preference),
      ),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
