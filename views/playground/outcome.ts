import type { Sources } from '../../src/core/extract/extract.ts'
import type { FoundExtra } from '../../src/core/extract/fields/extra.ts'
import type { PageResult } from '../../src/core/fetch/page-result.ts'
import type { FetchTrace } from '../../src/core/fetch/trace.ts'
import type { ExampleRequest } from '../ui/code-examples.tsx'
import type { FailureCause } from './advice.ts'
import type { LinkPreview } from './link-preview.ts'

export const resultPath = (id: string) => `/playground/results/${encodeURIComponent(id)}`

/** How a result was obtained. */
export interface Explanation {
  /** Where each value came from, by field: `title` → `og:title`. */
  sources: Sources
  /** The fields on request, with their sources; absent in results of an earlier version. */
  extra?: FoundExtra | undefined
  trace: FetchTrace
  /** Why `http` or `headless` was used: `The page is complete without scripts.`; '' when unknown. */
  methodReason: string
}

export interface PlaygroundSuccess {
  kind: 'success'
  id: string
  response: { url: string } & PageResult
  /** When the cached result was fetched, in Unix milliseconds; null when it was fetched for this request. */
  cachedAtMs: number | null
  preview: LinkPreview
  /** Null when the details are not stored. */
  explanation: Explanation | null
}

export interface PlaygroundFailure {
  kind: 'failure'
  /** The API's status: 429, 502 … */
  status: number
  error: string
  /** The cause, from which the advice is derived. */
  cause: FailureCause
  /** The requests made before the failure; null when there were none. */
  trace: FetchTrace | null
}

/** Props of the content of each tab. */
export interface TabProps {
  /** '' for a shared result, which has no forms. */
  csrf: string
  outcome: PlaygroundSuccess
  /** The request, for code examples. */
  request: ExampleRequest
}
