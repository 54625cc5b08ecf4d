import { Html } from '@elysiajs/html'

import type { PageResult } from '../src/core/metadata.ts'
import type { FetchTrace } from '../src/core/trace.ts'
import { adviceOn, type FailureCause } from './playground/advice.ts'
import { cardText } from './playground/card-text.ts'
import { RedirectChain } from './playground/redirect-chain.tsx'
import { LinkCards } from './playground/link-cards.tsx'
import { type Explanation, ResultDetails } from './playground/result-details.tsx'
import { type Frame, Shell } from './shell.tsx'
import { CodeExamples } from './ui/code-examples.tsx'
import { JsonBlock } from './ui/code.tsx'
import { PostForm, TextField } from './ui/form.tsx'
import { count, msText } from './ui/number.ts'
import { WebLink } from './ui/web-link.tsx'
import type { MonthlyUsage } from './ui/month-meter.tsx'

/** The form as submitted, or as prefilled by a link. */
export interface PlaygroundForm {
  url: string
  /** Milliseconds as typed. */
  timeout: string
  /** Bypass the cache. */
  isFresh: boolean
  /** The error message of each field; '' for none. */
  errors: { url: string; timeout: string }
}

export interface PlaygroundSuccess {
  kind: 'success'
  /** The API response. */
  response: { url: string } & PageResult
  isCached: boolean
  /**
   * Paths of the proxied images, `/playground/image?…`; null when the page has none. Other paths are not displayed.
   */
  images: { image: string | null; favicon: string | null }
  /** Null for a cached result. */
  explanation: Explanation | null
}

export interface PlaygroundFailure {
  kind: 'failure'
  /** The API's status: 429, 502 … */
  status: number
  /** The API's `error` message. */
  error: string
  /** The cause, from which the advice is derived. */
  cause: FailureCause
  /** The requests made before the failure; null when there were none. */
  trace: FetchTrace | null
}

export interface PlaygroundProps {
  frame: Frame
  form: PlaygroundForm
  /** Null before the first request, and when the form has errors. */
  outcome: PlaygroundSuccess | PlaygroundFailure | null
  /** The API's default timeout in milliseconds. */
  defaultTimeoutMs: number
  /** The viewer's usage, including this request. */
  month: MonthlyUsage
}

/** The API response and link previews of any page, and where each value came from. */
export function PlaygroundPage({ frame, form, outcome, defaultTimeoutMs, month }: PlaygroundProps) {
  return (
    <Shell frame={frame} title="Playground" description="See the API response and link previews for any page.">
      <h1>Playground</h1>
      <p class="lead">See the API response and link previews for any page.</p>
      <RequestForm frame={frame} form={form} defaultTimeoutMs={defaultTimeoutMs} month={month} />
      {outcome === null && <Intro />}
      {outcome?.kind === 'success' && <Success outcome={outcome} />}
      {outcome?.kind === 'failure' && <Failure failure={outcome} />}
      {outcome !== null && (
        <section class="panel" aria-labelledby="code">
          <h2 id="code">Code</h2>
          <p class="muted">
            <code>URLMETA_KEY</code> holds one of your <a href="/keys">keys</a>.
          </p>
          <CodeExamples
            request={{
              baseUrl: frame.baseUrl,
              url: form.url,
              timeoutMs: typedMs(form, defaultTimeoutMs),
              isFresh: form.isFresh,
            }}
          />
        </section>
      )}
    </Shell>
  )
}

/** The timeout in the form; null when it is invalid or the default, which the example omits. */
function typedMs({ timeout }: PlaygroundForm, defaultTimeoutMs: number): number | null {
  if (timeout === String(defaultTimeoutMs)) return null
  return /^[1-9]\d{0,4}$/.test(timeout) ? Number(timeout) : null
}

function RequestForm({ frame, form, defaultTimeoutMs, month }: Omit<PlaygroundProps, 'outcome'>) {
  return (
    <PostForm action="/playground" csrf={frame.csrf} class="panel ask" label="Request" busy="Fetching…">
      <TextField
        name="url"
        label="URL"
        inputMode="url"
        value={form.url}
        error={form.errors.url}
        placeholder="https://example.com/article"
        isRequired
      />
      <TextField
        name="timeout"
        label="Timeout, ms"
        inputMode="numeric"
        value={form.timeout}
        error={form.errors.timeout}
        placeholder={String(defaultTimeoutMs)}
      />
      <button class="button primary">Fetch</button>
      <p class="check">
        <input type="checkbox" id="fresh" name="fresh" value="true" checked={form.isFresh} />
        <label for="fresh">Bypass cache</label>
      </p>
      <p class="hint" safe>
        {`Successful requests count against your monthly limit: ${count(month.used)} of ${count(month.limit)} used.`}
      </p>
    </PostForm>
  )
}

function Intro() {
  return (
    <p class="empty">
      Paste a URL to see its link previews in Slack, X, Facebook, Discord, iMessage, WhatsApp and Google, the JSON
      response, and the tag each field came from. Images are loaded through this server, so sites do not see your
      browser.
    </p>
  )
}

function Success({ outcome }: { outcome: PlaygroundSuccess }) {
  const { response, isCached, images, explanation } = outcome
  return (
    <>
      <p class="outcome" role="status">
        <span class="badge good">200</span> <span safe>{`Fetched in ${msText(response.response_time_ms)}`}</span>{' '}
        <span class="badge">{response.fetch_method}</span> {isCached && <span class="badge accent">from cache</span>}{' '}
        <WebLink to={response.canonical_url ?? response.url}>Open the page</WebLink>
      </p>
      <section aria-labelledby="cards">
        <h2 id="cards">Link previews</h2>
        <LinkCards text={cardText(response, images)} />
      </section>
      <section class="panel" aria-labelledby="json">
        <h2 id="json">JSON response</h2>
        <JsonBlock value={response} />
      </section>
      <section class="panel" aria-labelledby="details">
        <h2 id="details">Details</h2>
        {explanation === null ? (
          <p class="empty">
            This result came from the cache, which does not store details. Tick “Bypass cache” to see them.
          </p>
        ) : (
          <ResultDetails response={response} explanation={explanation} />
        )}
      </section>
    </>
  )
}

function Failure({ failure }: { failure: PlaygroundFailure }) {
  const advice = adviceOn(failure.cause)
  return (
    <>
      <div class="callout bad" role="alert">
        <p class="callout-title">
          <span class="badge bad" safe>
            {String(failure.status)}
          </span>{' '}
          <span safe>{failure.error}</span>
        </p>
        {advice !== null && <p safe>{advice}</p>}
      </div>
      {failure.trace !== null && failure.trace.hops.length > 0 && (
        <section class="panel" aria-labelledby="requests">
          <h2 id="requests">Requests made</h2>
          <RedirectChain hops={failure.trace.hops} />
        </section>
      )}
    </>
  )
}
