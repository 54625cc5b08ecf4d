import type { PlaygroundFailure } from '../../src/previews/service/playground-record.ts'
import type { PlaygroundSuccess } from './outcome.ts'
import { PreviewsTab } from './previews-tab.tsx'
import { UrlForm, type UrlFormProps } from './request-form.tsx'
import { Failure, Summary } from './summary.tsx'
import { type Frame, Section, Shell } from '../shell.tsx'
import { JsonBlock } from '../ui/code.tsx'
import { pluralized } from '../ui/number.ts'

export interface PublicPlaygroundProps {
  frame: Frame
  /** The URL as submitted, or as prefilled by a link. */
  url: string
  /** Why nothing was requested; '' for none. */
  error: string
  outcome: PlaygroundSuccess | PlaygroundFailure | null
  /** Requests per minute of a client address. */
  perMinute: number
}

/** For visitors without an account. */
export function PublicPlaygroundPage({ frame, url, error, outcome, perMinute }: PublicPlaygroundProps) {
  const description = 'See the API response and link previews for any page.'
  return (
    <Shell frame={frame} title="Playground" description={description}>
      <h1>Playground</h1>
      <p class="lead">{description}</p>
      <PublicRequestForm url={url} error={error} perMinute={perMinute} isFocused={outcome === null} />
      {outcome?.kind === 'failure' && <Failure failure={outcome} />}
      {outcome?.kind === 'success' && (
        <>
          <Summary outcome={outcome} nowMs={frame.nowMs} />
          <Section id="previews" title="Link previews">
            <PreviewsTab csrf="" outcome={outcome} />
          </Section>
          <Section id="json" title="JSON">
            <JsonBlock value={outcome.response} />
          </Section>
          <div class="callout">
            <p>
              <a href="/sign-in">Sign in</a> to get an API key, and to see checks of the tags, the source of each value
              and the timing.
            </p>
          </div>
        </>
      )}
    </Shell>
  )
}

type PublicRequestFormProps = Partial<Omit<UrlFormProps, 'csrf'>> & Pick<PublicPlaygroundProps, 'perMinute'>

/** Also used on the landing page. */
export function PublicRequestForm({ url = '', error = '', perMinute, isFocused = false }: PublicRequestFormProps) {
  return (
    <UrlForm csrf="" url={url} error={error} isFocused={isFocused}>
      <p class="hint more" safe>
        {`${pluralized(perMinute, 'page')} per minute without an account. Nothing is stored about you.`}
      </p>
    </UrlForm>
  )
}
