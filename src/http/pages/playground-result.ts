import { methodReasonOf } from '../../core/fetch/method-reason.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import type { PlaygroundSuccessRecord } from '../../service/playground/link-previews.ts'
import type { PlaygroundSuccess } from '../../../views/playground/outcome.ts'
import { linkPreviewOf } from './link-preview.ts'

export interface ShownResult {
  /** The id of the stored result. */
  id: string
  outcome: PlaygroundSuccessRecord
  /** The path of a proxied image. */
  imagePathOf: (url: string) => string
  /** The part of the trace that the viewer may see. */
  traceOf: (trace: FetchTrace) => FetchTrace
}

/** A stored result for its page. */
export function playgroundResultOf({ id, outcome, imagePathOf, traceOf }: ShownResult): PlaygroundSuccess {
  const { url, result, cached, details } = outcome
  return {
    kind: 'success',
    id,
    response: { url, ...result },
    cachedAtMs: cached ? Date.parse(result.fetched_at) : null,
    preview: linkPreviewOf(outcome, imagePathOf),
    explanation: details && {
      sources: details.sources,
      extra: details.extra,
      trace: traceOf(details.trace),
      methodReason: methodReasonOf(details.trace, result.fetch_method),
    },
  }
}
