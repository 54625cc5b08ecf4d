import type { PlaygroundFailure } from '../../src/core/previews/playground-record.ts'
import { adviceOn } from './advice.ts'
import { RedirectChain } from './redirect-chain.tsx'
import { Section } from '../shell.tsx'
import { StatusBadge } from '../ui/badge.tsx'

/** Why the API returned an error, what to do, and the requests made before it. */
export function Failure({ failure }: { failure: PlaygroundFailure }) {
  const advice = adviceOn(failure.cause)
  return (
    <>
      <div class="callout bad" role="alert">
        <p class="callout-title">
          <StatusBadge status={failure.status} /> <span safe>{failure.error}</span>
        </p>
        {advice !== null && <p safe>{advice}</p>}
      </div>
      {failure.trace !== null && (
        <Section id="requests" title="Requests" class="panel">
          <RedirectChain hops={failure.trace.hops} />
        </Section>
      )}
    </>
  )
}
