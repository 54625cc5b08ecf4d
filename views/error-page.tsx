import texts from './error-texts.json'
import { type Frame, Shell } from './shell.tsx'
import { pluralized } from './ui/number.ts'
import { Text } from './ui/text.tsx'
import { ButtonLink } from './ui/button-link.tsx'

export interface ErrorPageProps {
  frame: Frame
  /** 403, 404, 405, 429 and 500 have their own text; other statuses a general one. */
  status: number
  /** Whether a form had no valid CSRF token, usually because its page was open too long. */
  isFormExpired: boolean
  message: string | null
  /** For a 429: whole seconds to wait; null when unknown. */
  retryAfterSeconds: number | null
  /** The request id in the log; null omits it. */
  requestId: string | null
}

const TEXTS: Readonly<Record<string, { title: string; advice: string }>> = texts

export function ErrorPage({ frame, status, isFormExpired, message, retryAfterSeconds, requestId }: ErrorPageProps) {
  const { title, advice: general } = isFormExpired ? texts.form_expired : (TEXTS[status] ?? texts.other)
  // Operators are not told to contact the operator of the server.
  const isOfOperator = status === 500 && frame.viewer?.isOperator
  const advice = isOfOperator ? 'The log of this server has the cause, under the request ID.' : general
  return (
    // The path of the frame may be the path of a form, which cannot be requested as a page.
    <Shell frame={{ ...frame, isFormResult: false }} title={title} description={advice}>
      <div class="narrow">
        <Text class="status" text={String(status)} />
        <h1 safe>{title}</h1>
        <Text class="lead" text={advice} />
        {message !== null && <p safe>{message}</p>}
        {retryAfterSeconds !== null && <p safe>{`Try again in ${pluralized(retryAfterSeconds, 'second')}.`}</p>}
        <p class="actions">
          <ButtonLink href="/" text={frame.viewer === null ? 'Go to the start page' : 'Go to the overview'} />
          <ButtonLink href="/docs" text="Documentation" />
        </p>
        {requestId !== null && (
          <p class="muted">
            Request ID: <code safe>{requestId}</code>
          </p>
        )}
      </div>
    </Shell>
  )
}
