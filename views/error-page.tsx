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

const TEXTS: Readonly<Record<number, readonly [title: string, advice: string]>> = {
  403: ['Access denied', 'You do not have permission to do this.'],
  404: ['Page not found', 'Check the address, or go back to the start page.'],
  405: ['Method not allowed', 'This page does not support this method.'],
  429: ['Too many requests', 'You have sent too many requests in a short time.'],
  500: ['Internal server error', 'Try again. If the problem persists, contact the operator of this server.'],
}

/** Operators are not told to contact the operator of the server. */
function textOf(status: number, isFormExpired: boolean, isOperator: boolean): readonly [title: string, advice: string] {
  if (isFormExpired) return ['This form has expired', 'Go back, reload the page and submit it again.']
  const [title, advice] = TEXTS[status] ?? ['Something went wrong', 'Go back and try again.']
  return [title, status === 500 && isOperator ? 'The log of this server has the cause, under the request ID.' : advice]
}

export function ErrorPage({ frame, status, isFormExpired, message, retryAfterSeconds, requestId }: ErrorPageProps) {
  const [title, advice] = textOf(status, isFormExpired, frame.viewer?.isOperator ?? false)
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
