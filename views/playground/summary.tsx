import { escapeHtml } from '@kitajs/html'

import type { PlaygroundFailure } from '../../src/previews/service/playground-record.ts'
import { Section } from '../shell.tsx'
import { Badge, StatusBadge } from '../ui/badge.tsx'
import { wallText } from '../ui/failures.tsx'
import { Icon } from '../ui/icon.tsx'
import { msText } from '../ui/number.ts'
import { RelativeTime } from '../ui/time.tsx'
import { WebLink } from '../ui/web-link.tsx'
import { adviceOn } from '../ui/advice.ts'
import type { PlaygroundSuccess } from './outcome.ts'
import { RedirectChain } from './redirect-chain.tsx'
import { Timing } from './timing-tab.tsx'

export function Summary({ outcome, nowMs }: { outcome: PlaygroundSuccess; nowMs: number }) {
  const { response, isCached } = outcome
  const fetchedAt = <RelativeTime ms={Date.parse(response.fetched_at)} nowMs={nowMs} />
  return (
    <p class="outcome" role="status">
      <Badge tone="good" text="200" />{' '}
      <span>
        {isCached && <Icon name="zap" />} {isCached ? 'From cache, fetched' : 'Fetched'} {fetchedAt as 'safe'}
        {!isCached && escapeHtml(` in ${msText(response.response_time_ms)}`)}
      </span>{' '}
      <Badge text={response.fetch_method} />{' '}
      <WebLink to={response.canonical_url ?? response.url} inNewTab>
        Open the page
      </WebLink>
    </p>
  )
}

export function Failure({ failure }: { failure: PlaygroundFailure }) {
  const advice = adviceOn(failure.cause)
  const { interstitial } = failure.cause
  const error = interstitial ? failure.error.replace('blocked by the site', wallText(interstitial)) : failure.error
  return (
    <>
      <div class="callout bad" role="alert">
        <p class="callout-title">
          <StatusBadge status={failure.status} /> <span safe>{error}</span>
        </p>
        {advice !== null && <p safe>{advice}</p>}
      </div>
      {failure.trace !== null && (
        <Section id="requests" title="Requests" class="panel">
          <h3>Timing</h3>
          <Timing trace={failure.trace} totalMs={0} />
          <h3>Redirects</h3>
          <RedirectChain hops={failure.trace.hops} />
        </Section>
      )}
    </>
  )
}
