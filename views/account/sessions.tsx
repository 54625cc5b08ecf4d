import type { Session } from '../../src/core/accounts/ports.ts'
import type { Frame } from '../shell.tsx'
import { Badge } from '../ui/badge.tsx'
import { browserText } from '../ui/browser-text.ts'
import { PostForm } from '../ui/form.tsx'
import { InlineText } from '../ui/text.tsx'
import { DateTime, RelativeTime } from '../ui/time.tsx'

export type SessionItem = Omit<Session, 'userId' | 'expiresAtMs'> & { isCurrent: boolean }

export function Sessions({ frame, sessions }: { frame: Frame; sessions: SessionItem[] }) {
  const currentFirst = sessions.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
  return (
    <section class="panel" aria-labelledby="sessions">
      <div class="panel-head">
        <h2 id="sessions">Sessions</h2>
        {sessions.length > 1 && (
          <PostForm action="/account/sessions/revoke-others" csrf={frame.csrf}>
            <button class="button small">Sign out everywhere else</button>
          </PostForm>
        )}
      </div>
      <ul class="rows">
        {currentFirst.map((session) => (
          <li>
            <span>
              <InlineText class="name" text={browserText(session.userAgent)} />{' '}
              {session.isCurrent && <Badge tone="good" text="This device" />}
              <br />
              <span class="muted">
                last active <RelativeTime ms={session.lastSeenAtMs} nowMs={frame.nowMs} />, signed in{' '}
                <DateTime ms={session.createdAtMs} />
              </span>
            </span>
            {!session.isCurrent && (
              <PostForm
                action={`/account/sessions/${encodeURIComponent(session.id)}/revoke`}
                csrf={frame.csrf}
                class="end"
              >
                <button class="button small">
                  Sign out <InlineText class="visually-hidden" text={browserText(session.userAgent)} />
                </button>
              </PostForm>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
