import { Html } from '@elysiajs/html'

import { type Frame, Shell } from './shell.tsx'
import { counted } from './ui/number.ts'

export interface ErrorPageProps {
  frame: Frame
  /** 403, 404, 405, 429 and 500 have words of their own; any other gets general ones. */
  status: number
  /** What the visitor may read beside the general words, such as which form was stale; null for nothing. */
  message: string | null
  /** Of a 429: whole seconds to wait; null when that is not known. */
  retryAfterSeconds: number | null
  /** What the operator finds in the log; null leaves it out. */
  requestId: string | null
}

/** What happened, and the way on. */
const WORDS: Readonly<Record<number, readonly [title: string, advice: string]>> = {
  403: [
    'You cannot do that',
    'The page was open too long, or it is not yours to see. Go back, load it again and try once more.',
  ],
  404: ['There is nothing here', 'The address may be mistyped, or what was here is gone.'],
  405: ['That does not work here', 'The page exists, but it cannot be asked in this way.'],
  429: ['Too many requests', 'This server asks for a short pause.'],
  500: [
    'Something failed here',
    'It is not your fault. Try again; if it stays like this, tell the operator of this server.',
  ],
}

const OTHER = ['This did not work', 'Go back and try again.'] as const

/** What went wrong, and the way on. */
export function ErrorPage({ frame, status, message, retryAfterSeconds, requestId }: ErrorPageProps) {
  const [title, advice] = WORDS[status] ?? OTHER
  return (
    <Shell frame={frame} title={title} description={advice}>
      <div class="narrow">
        <p class="status" safe>
          {String(status)}
        </p>
        <h1 safe>{title}</h1>
        <p class="lead" safe>
          {advice}
        </p>
        {message !== null && <p safe>{message}</p>}
        {retryAfterSeconds !== null && <p safe>{`Try again in ${counted(retryAfterSeconds, 'second')}.`}</p>}
        <p class="actions">
          <a class="button" href="/">
            {frame.viewer === null ? 'To the start page' : 'To the overview'}
          </a>
          <a class="button" href="/docs">
            Documentation
          </a>
        </p>
        {requestId !== null && (
          <p class="muted">
            For the operator: request <code safe>{requestId}</code>
          </p>
        )}
      </div>
    </Shell>
  )
}
