import type { PageResult } from '../../src/core/fetch/page-result.ts'
import type { ResultDetails } from '../../src/core/fetch/result-details.ts'
import type { NoTags } from '../../src/previews/tags/page-tags.ts'
import type { ExampleRequest } from '../ui/code-examples.tsx'
import type { LinkPreview } from './link-preview.ts'

export const resultPath = (id: string) => `/playground/results/${encodeURIComponent(id)}`

export interface Explanation extends Pick<ResultDetails, 'sources' | 'extra' | 'trace'> {
  /** Why `http` or `headless` was used: `The page is complete without scripts.`; '' when unknown. */
  methodReason: string
}

export interface PlaygroundSuccess {
  kind: 'success'
  id: string
  response: { url: string } & PageResult
  /** Whether the result came from the cache, and was not fetched for this request. */
  isCached: boolean
  /** The paths of proxied images of the response. */
  images: { image?: string; favicon?: string }
  preview: LinkPreview | NoTags
  /** Null when the details are not stored. */
  explanation: Explanation | null
}

export interface TabProps {
  /** '' for a shared result, which has no forms. */
  csrf: string
  outcome: PlaygroundSuccess
  request: ExampleRequest
}
