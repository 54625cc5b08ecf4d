import { Html } from '@elysiajs/html'

import type { PageResult } from '../src/core/metadata.ts'
import type { FetchTrace } from '../src/core/trace.ts'
import { adviceOn, type FailureCause } from './playground/advice.ts'
import { cardText } from './playground/card-text.ts'
import { Journey } from './playground/journey.tsx'
import { LinkCards } from './playground/link-cards.tsx'
import { type Explanation, Why } from './playground/why.tsx'
import { type Frame, Shell } from './shell.tsx'
import { CodeExamples } from './ui/code-examples.tsx'
import { JsonBlock } from './ui/code.tsx'
import { PostForm, TextField } from './ui/form.tsx'
import { count, msText } from './ui/number.ts'
import { WebLink } from './ui/web-link.tsx'
import type { MonthUse } from './ui/month-meter.tsx'

/** The form as it was sent, or as a link prefilled it. */
export interface PlaygroundForm {
  url: string
  /** Milliseconds as typed. */
  timeout: string
  /** Skip the cache. */
  isFresh: boolean
  /** Beside the field each is about; '' is none. */
  errors: { url: string; timeout: string }
}

export interface PlaygroundAnswer {
  kind: 'answer'
  /** What the API answers. */
  answer: { url: string } & PageResult
  isCached: boolean
  /**
   * Own paths that show the page's pictures, `/playground/image?…`; null for a picture that is not there. Any other
   * path is not shown.
   */
  images: { image: string | null; favicon: string | null }
  /** Null for a cached answer, whose way was not kept. */
  explanation: Explanation | null
}

export interface PlaygroundFailure {
  kind: 'failure'
  /** What the API answers with: 429, 502 … */
  status: number
  /** Its `error`. */
  error: string
  /** Why, for the advice beside it. */
  cause: FailureCause
  /** The way until it failed; null when nothing was fetched. */
  trace: FetchTrace | null
}

export interface PlaygroundProps {
  frame: Frame
  form: PlaygroundForm
  /** Null before the first request, and when the form has errors. */
  outcome: PlaygroundAnswer | PlaygroundFailure | null
  /** What the API takes when a request names no timeout, in milliseconds. */
  defaultTimeoutMs: number
  /** After this request: it spends the viewer's own month. */
  month: MonthUse
}

/** Any page as the API and as link previews show it, and why. */
export function Playground({ frame, form, outcome, defaultTimeoutMs, month }: PlaygroundProps) {
  return (
    <Shell frame={frame} title="Playground" description="Any page as the API and as link previews show it, and why.">
      <h1>Playground</h1>
      <p class="lead">Any page as the API answers it, as apps draw its link, and why.</p>
      <RequestForm frame={frame} form={form} defaultTimeoutMs={defaultTimeoutMs} month={month} />
      {outcome === null && <Intro />}
      {outcome?.kind === 'answer' && <Answer outcome={outcome} />}
      {outcome?.kind === 'failure' && <Failure failure={outcome} />}
      {outcome !== null && (
        <section class="panel" aria-labelledby="code">
          <h2 id="code">The same from your code</h2>
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

/** Null also for the default, which an example need not repeat. */
function typedMs({ timeout }: PlaygroundForm, defaultTimeoutMs: number): number | null {
  if (timeout === String(defaultTimeoutMs)) return null
  return /^[1-9]\d{0,4}$/.test(timeout) ? Number(timeout) : null
}

function RequestForm({ frame, form, defaultTimeoutMs, month }: Omit<PlaygroundProps, 'outcome'>) {
  return (
    <PostForm action="/playground" csrf={frame.csrf} class="panel ask" label="Page to read" busy="Reading…">
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
      <button class="button primary">Read the page</button>
      <p class="check">
        <input type="checkbox" id="fresh" name="fresh" value="true" checked={form.isFresh} />
        <label for="fresh">Skip the cache and fetch it anew</label>
      </p>
      <p class="hint" safe>
        {`An answer counts against your month: ${count(month.used)} of ${count(month.limit)} used. Failures cost nothing.`}
      </p>
    </PostForm>
  )
}

function Intro() {
  return (
    <p class="empty">
      Paste the address of a page. You get its link card as Slack, X, Facebook, Discord, iMessage, WhatsApp and Google
      draw it, the JSON of the API, and for each field the tag it came from. Pictures come through this server: the page
      learns nothing of your browser.
    </p>
  )
}

function Answer({ outcome }: { outcome: PlaygroundAnswer }) {
  const { answer, isCached, images, explanation } = outcome
  return (
    <>
      <p class="outcome" role="status">
        <span class="badge good">200</span> <span safe>{`Read in ${msText(answer.response_time_ms)}`}</span>{' '}
        <span class="badge">{answer.fetch_method}</span> {isCached && <span class="badge accent">from cache</span>}{' '}
        <WebLink to={answer.canonical_url ?? answer.url}>Open the page</WebLink>
      </p>
      <section aria-labelledby="cards">
        <h2 id="cards">As apps draw it</h2>
        <LinkCards text={cardText(answer, images)} />
      </section>
      <section class="panel" aria-labelledby="json">
        <h2 id="json">As the API answers</h2>
        <JsonBlock value={answer} />
      </section>
      <section class="panel" aria-labelledby="why">
        <h2 id="why">Why</h2>
        {explanation === null ? (
          <p class="empty">
            This answer came from the cache, which keeps answers and not how they came about. Tick “Skip the cache” to
            see that too.
          </p>
        ) : (
          <Why answer={answer} explanation={explanation} />
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
        <section class="panel" aria-labelledby="way">
          <h2 id="way">How far it got</h2>
          <Journey hops={failure.trace.hops} />
        </section>
      )}
    </>
  )
}
