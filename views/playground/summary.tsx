import { msText } from '../ui/number.ts'
import { RelativeTime } from '../ui/time.tsx'
import { WebLink } from '../ui/web-link.tsx'
import type { PlaygroundSuccess } from './outcome.ts'

/** Status, method, age and a link to the page. */
export function Summary({ outcome, nowMs }: { outcome: PlaygroundSuccess; nowMs: number }) {
  const { response, cachedAtMs } = outcome
  return (
    <p class="outcome" role="status">
      <span class="badge good">200</span>{' '}
      {cachedAtMs === null ? (
        <span safe>{`Fetched in ${msText(response.response_time_ms)}`}</span>
      ) : (
        <span>
          From cache, fetched <RelativeTime ms={cachedAtMs} nowMs={nowMs} />
        </span>
      )}{' '}
      <span class="badge">{response.fetch_method}</span>{' '}
      <WebLink to={response.canonical_url ?? response.url} inNewTab>
        Open the page
      </WebLink>
    </p>
  )
}
