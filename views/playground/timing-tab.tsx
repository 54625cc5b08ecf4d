import type { Charset } from '../../src/core/extract/reading/charset.ts'
import type { FetchTrace } from '../../src/core/fetch/trace.ts'
import { Badge } from '../ui/badge.tsx'
import { Detail } from '../ui/detail.tsx'
import { decimalBytesText, msText, pluralized } from '../ui/number.ts'
import { truncate } from './card-text.ts'
import { NoDetails } from './no-details.tsx'
import { RedirectChain } from './redirect-chain.tsx'
import type { TabProps } from './outcome.ts'
import { Timing } from './timing.tsx'

/** Longer destinations of blocked requests are truncated. */
const MAX_DESTINATION_CHARACTERS = 90

/** Bounds the list, because a page can request any number of destinations. */
const MAX_REFUSED = 5

const CHARSET_REASONS: Record<Charset['from'], string> = {
  mark: 'from the byte-order mark',
  header: 'from the Content-Type header',
  meta: 'from a meta element',
  'valid utf-8': 'not declared; the bytes are valid UTF-8',
  'late meta': 'from a late meta element; the bytes are not valid UTF-8',
  fallback: 'not declared and not valid UTF-8; windows-1252 by default',
}

/** Method, encoding, redirects and timing of the fetch. */
export function TimingTab({ outcome: { response, explanation } }: TabProps) {
  if (explanation === null) return <NoDetails />
  const { trace, methodReason } = explanation
  const charset = trace.hops.at(-1)?.charset
  return (
    <>
      <h3>Timing</h3>
      <Timing trace={trace} totalMs={response.response_time_ms} />
      <h3>Fetch</h3>
      <dl class="details">
        <Detail name="Method">
          <Badge tone="accent" text={response.fetch_method} /> <span safe>{methodReason}</span>
        </Detail>
        {trace.rendering !== undefined && (
          <Detail name="Browser">
            <Rendering rendering={trace.rendering} />
          </Detail>
        )}
        {charset !== undefined && (
          <Detail name="Encoding">
            <Badge text={charset.encoding} /> <span safe>{CHARSET_REASONS[charset.from]}</span>
          </Detail>
        )}
      </dl>
      <h3>Redirects</h3>
      <RedirectChain hops={trace.hops} />
    </>
  )
}

function Rendering({ rendering }: { rendering: NonNullable<FetchTrace['rendering']> }) {
  const { durationMs, requests, hosts, bytes, refused, failure } = rendering
  const load = `${pluralized(requests, 'request')} to ${pluralized(hosts, 'host')}, ${decimalBytesText(bytes)}, ${msText(durationMs)}`
  return (
    <>
      {failure !== undefined && <Badge tone="bad" text={failure.replaceAll('_', ' ')} />} <span safe>{load}</span>
      <ul>
        {refused.slice(0, MAX_REFUSED).map(({ destination, refusal }) => (
          <li>
            <Badge tone="bad" text={refusal.replaceAll('_', ' ')} /> blocked request to{' '}
            <code safe>{truncate(destination, MAX_DESTINATION_CHARACTERS)}</code>
          </li>
        ))}
      </ul>
    </>
  )
}
