import { Html } from '@elysiajs/html'

import type { Charset } from '../../src/core/charset.ts'
import type { Sources } from '../../src/core/extract/extract.ts'
import type { PageResult } from '../../src/core/metadata.ts'
import type { FetchTrace } from '../../src/core/trace.ts'
import { bytesText, pluralized, msText } from '../ui/number.ts'
import { truncate } from './card-text.ts'
import { RedirectChain } from './redirect-chain.tsx'
import { Timing } from './timing.tsx'

/** How a result was obtained. */
export interface Explanation {
  /** Where each value came from, by field: `title` → `og:title`. */
  sources: Sources
  trace: FetchTrace
  /** Why `http` or `headless` was used: `The page is complete without scripts.`; '' when unknown. */
  methodReason: string
}

/** Longer values are truncated; the JSON response shows them in full. */
const MAX_VALUE_CHARACTERS = 90

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

/** Sources, method, encoding, redirects and timing of a result. */
export function ResultDetails({ response, explanation }: { response: PageResult; explanation: Explanation }) {
  const { sources, trace, methodReason } = explanation
  const charset = trace.hops.at(-1)?.charset
  return (
    <>
      <h3>Where each value came from</h3>
      <SourceTable response={response} sources={sources} />
      <h3>Fetch</h3>
      <dl class="details">
        <div>
          <dt>Method</dt>
          <dd>
            <span class="badge accent">{response.fetch_method}</span> <span safe>{methodReason}</span>
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
            <dt>Encoding</dt>
            <dd>
              <span class="badge" safe>
                {charset.encoding}
              </span>{' '}
              <span safe>{CHARSET_REASONS[charset.from]}</span>
            </dd>
          </div>
        )}
      </dl>
      <h3>Redirects</h3>
      <RedirectChain hops={trace.hops} />
      <h3>Timing</h3>
      <Timing hops={trace.hops} browserMs={trace.rendering?.durationMs ?? 0} />
    </>
  )
}

function Rendering({ rendering }: { rendering: NonNullable<FetchTrace['rendering']> }) {
  const { durationMs, requests, hosts, bytes, refused, failure } = rendering
  const load = `${pluralized(requests, 'request')} to ${pluralized(hosts, 'host')}, ${bytesText(bytes)}, ${msText(durationMs)}`
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
            blocked request to <code safe>{truncate(destination, MAX_VALUE_CHARACTERS)}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

function SourceTable({ response, sources }: { response: PageResult; sources: Sources }) {
  return (
    <table class="plain sources">
      <caption class="visually-hidden">Where each value came from</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Source</th>
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
              {truncate(valueOf(response, field), MAX_VALUE_CHARACTERS)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The response's value at a path such as `meta.author`. */
function valueOf(response: PageResult, field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>((object, name) => (object as Record<string, unknown> | undefined)?.[name], response)
  return typeof value === 'string' ? value : ''
}
