import { Html } from '@elysiajs/html'

import type { Charset } from '../../src/core/charset.ts'
import type { Sources } from '../../src/core/extract/extract.ts'
import type { PageResult } from '../../src/core/metadata.ts'
import type { FetchTrace } from '../../src/core/trace.ts'
import type { Explanation } from '../playground.tsx'
import { bytesText, counted, msText } from '../ui/number.ts'
import { cut } from './card-text.ts'
import { Journey } from './journey.tsx'
import { Timing } from './timing.tsx'

/** Beside its source a value is only a reminder; the JSON holds it whole. */
const MAX_VALUE = 90

/** A page that goes from port to port shows itself in the first few. */
const MAX_REFUSED = 5

const CHARSET_REASONS: Record<Charset['from'], string> = {
  mark: 'its byte-order mark says so',
  header: 'the Content-Type header says so',
  meta: 'a meta element says so',
  'valid utf-8': 'nothing says so, but the bytes are valid UTF-8',
  fallback: 'nothing says so and the bytes are no UTF-8, so it is what the web falls back to',
}

/** How an answer came about: sources, method, characters, way and time. */
export function Why({ answer, explanation }: { answer: PageResult; explanation: Explanation }) {
  const { sources, trace, methodReason } = explanation
  const charset = trace.hops.at(-1)?.charset
  return (
    <>
      <h3>Where each field comes from</h3>
      <SourceTable answer={answer} sources={sources} />
      <h3>How it was read</h3>
      <dl class="details">
        <div>
          <dt>Method</dt>
          <dd>
            <span class="badge accent">{answer.fetch_method}</span> <span safe>{methodReason}</span>
          </dd>
        </div>
        {trace.rendering !== undefined && (
          <div>
            <dt>Browser</dt>
            <dd>
              <Rendering rendering={trace.rendering} />
            </dd>
          </div>
        )}
        {charset !== undefined && (
          <div>
            <dt>Characters</dt>
            <dd>
              <span class="badge" safe>
                {charset.encoding}
              </span>{' '}
              <span safe>{CHARSET_REASONS[charset.from]}</span>
            </dd>
          </div>
        )}
      </dl>
      <h3>The way there</h3>
      <Journey hops={trace.hops} />
      <h3>Where the time went</h3>
      <Timing hops={trace.hops} browserMs={trace.rendering?.durationMs ?? 0} />
    </>
  )
}

function Rendering({ rendering }: { rendering: NonNullable<FetchTrace['rendering']> }) {
  const { durationMs, requests, hosts, bytes, refused, failure } = rendering
  const load = `${counted(requests, 'request')} to ${counted(hosts, 'host')}, ${bytesText(bytes)}, ${msText(durationMs)}`
  return (
    <>
      {failure !== undefined && (
        <span class="badge bad" safe>
          {failure.replaceAll('_', ' ')}
        </span>
      )}{' '}
      <span safe>{load}</span>
      <ul>
        {refused.slice(0, MAX_REFUSED).map(({ destination, refusal }) => (
          <li>
            <span class="badge bad" safe>
              {refusal.replaceAll('_', ' ')}
            </span>{' '}
            not let through to <code safe>{cut(destination, MAX_VALUE)}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

function SourceTable({ answer, sources }: { answer: PageResult; sources: Sources }) {
  return (
    <table class="plain sources">
      <caption class="unseen">Where each field comes from</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">From</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(sources).map(([field, source]) => (
          <tr>
            <th scope="row">
              <code safe>{field}</code>
            </th>
            <td safe>{source}</td>
            <td class="value" safe>
              {cut(valueOf(answer, field), MAX_VALUE)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** `meta.author` → what the answer has there. */
function valueOf(answer: PageResult, field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>((held, name) => (held as Record<string, unknown> | undefined)?.[name], answer)
  return typeof value === 'string' ? value : ''
}
