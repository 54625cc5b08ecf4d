import { METHOD_REASONS } from './method.ts'
import { RENDER_FAILURES } from './render-report.ts'
import type { FetchSummary } from './summary.ts'
import type { FetchTrace } from './trace.ts'

/** Why a page was rendered or not, in one or two sentences; '' if no method was chosen. */
export function methodReasonOf({ method, rendering }: FetchTrace, used: 'http' | 'headless'): string {
  if (method === undefined) return ''
  const sentence = METHOD_REASONS[method.reason]
  if (method.method === used) return sentence
  const outcome =
    rendering?.failure === undefined ? 'The browser found nothing more' : RENDER_FAILURES[rendering.failure]
  return `${sentence} ${outcome}, so the plain response is used.`
}

/** Like `methodReasonOf`, for a logged request, whose trace is no longer known. */
export function loggedMethodReason({ methodReason, renderFailure }: Partial<FetchSummary>): string {
  const sentence = methodReason === undefined ? '' : METHOD_REASONS[methodReason]
  return renderFailure === undefined ? sentence : `${sentence} ${RENDER_FAILURES[renderFailure]}.`
}
