import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { msText } from '../ui/number.ts'
import { RelativeTime } from '../ui/time.tsx'
import { WebLink } from '../ui/web-link.tsx'
import type { PlaygroundSuccess } from './outcome.ts'

/** Status, method, age and a link to the page. */
export function Summary({ outcome, nowMs }: { outcome: PlaygroundSuccess; nowMs: number }) {
  const { response, cachedAtMs } = outcome
  return (
    <p class="outcome" role="status">
      <Badge tone="good" text="200" />{' '}
      {cachedAtMs === null ? (
        <span safe>{`Fetched in ${msText(response.response_time_ms)}`}</span>
      ) : (
        <span>
          <Icon name="zap" /> From cache, fetched <RelativeTime ms={cachedAtMs} nowMs={nowMs} />
        </span>
      )}{' '}
      <Badge text={response.fetch_method} />{' '}
      <WebLink to={response.canonical_url ?? response.url} inNewTab>
        Open the page
      </WebLink>
    </p>
  )
}
