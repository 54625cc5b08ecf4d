import type { FailureCause } from '../../core/errors.ts'
import type { ImageFacts } from '../../core/fetch/image-facts.ts'
import type { PageResult } from '../../core/fetch/page-result.ts'
import type { ResultDetails } from '../../core/fetch/result-details.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import type { OembedFacts } from '../rules/oembed-facts.ts'
import type { RobotsFacts } from '../rules/robots.ts'

export interface SubmittedForm {
  /** As typed, or with `https://` added. */
  url: string
  /** Milliseconds as typed. */
  timeout: string
  /** Whether the cache is bypassed. */
  isFresh: boolean
}

/** `errors` has the message of each field; '' for none. */
export interface InvalidForm {
  kind: 'invalid'
  errors: { url: string; timeout: string }
}

export interface PlaygroundSuccessRecord {
  kind: 'success'
  /** The requested URL, normalized. */
  url: string
  result: PageResult
  cached: boolean
  details: ResultDetails | null
  /** The images that were requested for link previews. */
  images: ImageFacts[]
  /** The oEmbed response that was requested for link previews; null for none. */
  oembed: OembedFacts | null
  /** The facts from robots.txt for the page and its images. */
  robots: RobotsFacts[]
  /** HTML that replaces the tags of the page in link previews; null when they are not edited. */
  editedTags: string | null
}

/** Before anything is requested for the previews of the page. @param url normalized */
export function newRecord(url: string, found: Pick<PlaygroundSuccessRecord, 'result' | 'cached' | 'details'>) {
  const { result, cached, details } = found
  const nothing = { images: [], oembed: null, robots: [], editedTags: null }
  return { kind: 'success' as const, url, result, cached, details, ...nothing } satisfies PlaygroundSuccessRecord
}

export interface PlaygroundFailure {
  kind: 'failure'
  /** The API's status: 429, 502 … */
  status: number
  error: string
  cause: FailureCause
  /** The requests made before the failure; null when there were none. */
  trace: FetchTrace | null
}

export type PlaygroundOutcome = InvalidForm | PlaygroundSuccessRecord | PlaygroundFailure

/** A submitted form and its outcome, as plain data. Addresses that the viewer may not see are removed when shown. */
export interface PlaygroundRecord {
  form: SubmittedForm
  /** Whether `https://` was added to the URL. */
  isCompleted: boolean
  outcome: PlaygroundOutcome
}
