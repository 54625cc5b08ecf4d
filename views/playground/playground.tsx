import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

import type { PlaygroundFailure } from '../../src/previews/service/playground-record.ts'
import type { MonthlyUsage } from '../../src/core/usage/ports.ts'
import { type PlaygroundSuccess, resultPath } from './outcome.ts'
import { type PlaygroundForm, RequestForm } from './request-form.tsx'
import { ResultTabs, type TabId } from './result-tabs.tsx'
import { SharedLink, SharedResults, type SharingProps } from './sharing.tsx'
import { Failure, Summary } from './summary.tsx'
import { type Frame, Section, Shell } from '../shell.tsx'
import { RequestCode } from '../ui/code-examples.tsx'
import { PostForm, type PostFormProps } from '../ui/form.tsx'

export interface PlaygroundProps {
  /** `path` is the path of the result, if there is one. */
  frame: Frame
  form: PlaygroundForm
  /** Null before the first request, and when the form has errors; `expired` when the result is not stored any more. */
  outcome: PlaygroundSuccess | PlaygroundFailure | 'expired' | null
  /** The open tab of a successful result. */
  tab: TabId
  /** The same URL with `http://`, if it was entered without a scheme and `https://` was used; null otherwise. */
  httpUrl: string | null
  defaultTimeoutMs: number
  /** The viewer's usage, including this request. */
  month: MonthlyUsage
  /** Null when sharing is turned off. */
  sharing: SharingProps | null
}

export function PlaygroundPage(props: PlaygroundProps) {
  const { frame, form, outcome, tab, httpUrl, defaultTimeoutMs, month, sharing } = props
  const isNew = outcome === null && form.errors.url === '' && form.errors.timeout === ''
  const result = outcome === 'expired' ? null : outcome
  const { url, isFresh } = form
  const request = { baseUrl: frame.baseUrl, url, timeoutMs: typedMs(form, defaultTimeoutMs), isFresh }
  return (
    <Shell frame={frame} title="Playground" description="See the API response and link previews for any page.">
      <h1>Playground</h1>
      {isNew && <p class="lead">See the API response and link previews for any page.</p>}
      <RequestForm
        csrf={frame.csrf}
        form={form}
        defaultTimeoutMs={defaultTimeoutMs}
        month={month}
        isFocused={outcome === null}
      />
      {outcome === null && <Intro csrf={frame.csrf} />}
      {outcome === null && sharing !== null && <SharedResults {...sharing} frame={frame} />}
      {outcome === 'expired' && (
        <p class="callout" role="status">
          This result is no longer available. Results are kept for an hour.
        </p>
      )}
      {outcome !== null && httpUrl !== null && <SchemeNote frame={frame} form={form} httpUrl={httpUrl} />}
      {result?.kind === 'failure' && (
        <>
          <Failure failure={result} />
          <Section id="code" title="Code" class="panel">
            <RequestCode request={request} />
          </Section>
        </>
      )}
      {result?.kind === 'success' && (
        <>
          {sharing !== null && <SharedLink {...sharing} />}
          <div class="scheme">
            <Summary outcome={result} nowMs={frame.nowMs} />
            <FetchForm csrf={frame.csrf} form={{ ...form, isFresh: true }} label="Fetch again">
              <button class="button small">Fetch again</button>
            </FetchForm>
            {sharing !== null && (
              <PostForm action={`${resultPath(result.id)}/share`} csrf={frame.csrf} label="Share" busy="Sharing…">
                <button class="button small">Share this result</button>
              </PostForm>
            )}
          </div>
          <ResultTabs tab={tab} path={resultPath(result.id)} csrf={frame.csrf} outcome={result} request={request} />
        </>
      )}
    </Shell>
  )
}

/** The timeout in the form; null when it is invalid or the default, which the example omits. */
function typedMs({ timeout }: PlaygroundForm, defaultTimeoutMs: number): number | null {
  if (timeout === String(defaultTimeoutMs)) return null
  return /^[1-9]\d{0,4}$/.test(timeout) ? Number(timeout) : null
}

/** Public pages with rich metadata. */
const EXAMPLES = [
  'https://en.wikipedia.org/wiki/Aurora',
  'https://github.com/oven-sh/bun',
  'https://developer.mozilla.org/en-US/docs/Web/HTML',
]

function Intro({ csrf }: { csrf: string }) {
  return (
    <div class="empty intro">
      <p>
        Paste a URL to see its link previews in X, Slack, WhatsApp and other apps, checks of its tags, the JSON
        response, and the tag each field came from. Images are loaded through this server, so sites do not see your
        browser.
      </p>
      <PostForm action="/playground" csrf={csrf} class="examples" label="Examples" busy="Fetching…">
        <p>Or try an example:</p>
        {EXAMPLES.map((url) => (
          <button class="link" name="url" value={url} safe>
            {url}
          </button>
        ))}
      </PostForm>
    </div>
  )
}

type FetchFormProps = Pick<PostFormProps, 'csrf' | 'class' | 'label'> & { form: PlaygroundForm }

/** A form that submits the values of another one. */
function FetchForm({ form: { url, timeout, isFresh }, children, ...props }: PropsWithChildren<FetchFormProps>) {
  return (
    <PostForm action="/playground" {...props} busy="Fetching…">
      <input type="hidden" name="url" value={escapeHtml(url)} />
      <input type="hidden" name="timeout" value={escapeHtml(timeout)} />
      {isFresh && <input type="hidden" name="fresh" value="true" />}
      {children as 'safe'}
    </PostForm>
  )
}

function SchemeNote({ frame, form, httpUrl }: { frame: Frame; form: PlaygroundForm; httpUrl: string }) {
  return (
    <FetchForm csrf={frame.csrf} form={{ ...form, url: httpUrl }} class="callout scheme" label="Fetch with http">
      <p>
        The URL had no scheme, so <code>https://</code> was used.
      </p>
      <button class="button small">
        Try <code>http://</code> instead
      </button>
    </FetchForm>
  )
}
