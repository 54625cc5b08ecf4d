import { Html } from '@elysiajs/html'

import { UsageAlerts, type UsageAlertsProps } from './account/usage-alerts.tsx'
import { type Frame, Shell } from './shell.tsx'
import { browserText } from './ui/browser-text.ts'
import { Confirm, PostForm, TextField } from './ui/form.tsx'
import { RelativeTime, DateTime } from './ui/time.tsx'

export interface Profile {
  email: string
  name: string | null
  planLabel: string
  createdAtMs: number
}

/** An identity with which the user can sign in. */
export interface Connection {
  issuer: string
  subject: string
  /** The provider's name. */
  label: string
  /** The login or email address at the provider. */
  account: string
  /** The verified address at the last sign-in. */
  email: string
  createdAtMs: number
}

export interface SessionItem {
  id: string
  /** The browser's User-Agent header; '' when it sent none. */
  userAgent: string
  createdAtMs: number
  lastSeenAtMs: number
  isCurrent: boolean
}

export interface AccountProps {
  frame: Frame
  profile: Profile
  connections: Connection[]
  /** Configured providers that are not connected. */
  others: { id: string; label: string }[]
  /** Open sessions including the current one, in any order. */
  sessions: SessionItem[]
  alerts: Omit<UsageAlertsProps, 'frame'>
  /** The submitted delete form when the typed text is not the email address; null otherwise. */
  deletion: { typed: string; error: string } | null
}

/** Profile, sign-in methods, sessions and data export. */
export function AccountPage({ frame, profile, connections, others, sessions, alerts, deletion }: AccountProps) {
  return (
    <Shell frame={frame} title="Account" description="Profile, sign-in methods, sessions and your data.">
      <h1>Account</h1>
      <section class="panel" aria-labelledby="profile">
        <h2 id="profile">Profile</h2>
        <dl class="details">
          {profile.name !== null && (
            <div>
              <dt>Name</dt>
              <dd dir="auto" safe>
                {profile.name}
              </dd>
            </div>
          )}
          <div>
            <dt>Email</dt>
            <dd safe>{profile.email}</dd>
          </div>
          <div>
            <dt>Plan</dt>
            <dd>
              <span safe>{profile.planLabel}</span> · <a href="/usage#plans">compare plans</a>
            </dd>
          </div>
          <div>
            <dt>Member since</dt>
            <dd>
              <DateTime ms={profile.createdAtMs} />
            </dd>
          </div>
        </dl>
      </section>
      <section class="panel" aria-labelledby="connections">
        <h2 id="connections">Sign-in methods</h2>
        {connections.length + others.length === 0 ? (
          <p class="empty">
            No identity provider is configured on this server. Sign in with the one-time link that{' '}
            <code>urlmeta user sign-in-link</code> prints.
          </p>
        ) : (
          <ul class="rows">
            {connections.map((connection) => (
              <ConnectionRow frame={frame} connection={connection} isOnly={connections.length === 1} />
            ))}
            {others.map(({ id, label }) => (
              <li>
                <span class="name" safe>
                  {label}
                </span>
                <a class="button small end" href={`/sign-in/${encodeURIComponent(id)}?next=%2Faccount`}>
                  Connect{' '}
                  <span class="visually-hidden" safe>
                    {label}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </section>
      <Sessions sessions={sessions} frame={frame} />
      <UsageAlerts frame={frame} {...alerts} />
      <section class="panel" aria-labelledby="data">
        <h2 id="data">Your data</h2>
        <p>
          Everything stored about you: profile, keys without their secrets, usage, logged requests, alerts and sessions.
        </p>
        <p>
          <a class="button" href="/account/export" download="urlmeta-account.json">
            Download as JSON
          </a>
        </p>
      </section>
      <Deletion frame={frame} email={profile.email} deletion={deletion} />
    </Shell>
  )
}

/** The only identity has no Remove button, because the user could not sign in without it. */
function ConnectionRow({
  frame,
  connection,
  isOnly,
}: Pick<AccountProps, 'frame'> & { connection: Connection; isOnly: boolean }) {
  const { issuer, subject, label, account, email, createdAtMs } = connection
  return (
    <li>
      <span>
        <span class="name" safe>
          {label}
        </span>{' '}
        <span safe>{account}</span>
        <br />
        <span class="muted">
          {email !== account && (
            <>
              <span safe>{email}</span>,{' '}
            </>
          )}
          since <DateTime ms={createdAtMs} />
        </span>
      </span>
      {!isOnly && (
        <span class="end">
          <Confirm
            action="/account/identities/remove"
            csrf={frame.csrf}
            label="Remove"
            subject={`${label} ${account}`}
            question={`${label} will no longer open this account. You can connect it again.`}
            confirm="Remove"
          >
            <input type="hidden" name="issuer" value={Html.escapeHtml(issuer)} />
            <input type="hidden" name="subject" value={Html.escapeHtml(subject)} />
          </Confirm>
        </span>
      )}
    </li>
  )
}

function Sessions({ frame, sessions }: Pick<AccountProps, 'frame' | 'sessions'>) {
  const latestFirst = sessions.toSorted(
    (a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.lastSeenAtMs - a.lastSeenAtMs,
  )
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
        {latestFirst.map((session) => (
          <li>
            <span>
              <span class="name" safe>
                {browserText(session.userAgent)}
              </span>{' '}
              {session.isCurrent && <span class="badge good">This device</span>}
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
                  Sign out{' '}
                  <span class="visually-hidden" safe>
                    {browserText(session.userAgent)}
                  </span>
                </button>
              </PostForm>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Opened when the form was submitted with an error. */
function Deletion({ frame, email, deletion }: Pick<AccountProps, 'frame' | 'deletion'> & { email: string }) {
  return (
    <section class="panel danger" aria-labelledby="delete">
      <h2 id="delete">Delete account</h2>
      <p>
        Your keys stop working immediately, and your profile, usage and sessions are deleted. This cannot be undone.
      </p>
      <details open={deletion !== null}>
        <summary class="button danger-outline">Delete my account</summary>
        <PostForm action="/account/delete" csrf={frame.csrf} class="stack">
          <TextField
            name="confirm"
            label={`Type ${email} to confirm`}
            value={deletion?.typed ?? ''}
            error={deletion?.error ?? ''}
            isRequired
          />
          <p>
            <button class="button danger">Delete permanently</button>
          </p>
        </PostForm>
      </details>
    </section>
  )
}
