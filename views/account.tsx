import { escapeHtml } from '@kitajs/html'

import type { Identity, Session, User } from '../src/core/accounts/ports.ts'
import { UsageAlerts, type UsageAlertsProps } from './account/usage-alerts.tsx'
import { type Frame, Section, Shell } from './shell.tsx'
import { Badge } from './ui/badge.tsx'
import { browserText } from './ui/browser-text.ts'
import { Detail } from './ui/detail.tsx'
import { Confirm, PostForm, TextField } from './ui/form.tsx'
import { DateTime, RelativeTime } from './ui/time.tsx'

export type Profile = Pick<User, 'email' | 'name' | 'createdAtMs'> & { planLabel: string }

export type SessionItem = Omit<Session, 'userId' | 'expiresAtMs'> & { isCurrent: boolean }

/** An identity with which the user can sign in. */
export type Connection = Identity & { label: string }

export interface AccountProps {
  frame: Frame
  connections: Connection[]
  /** Configured providers that are not connected. */
  others: { id: string; label: string }[]
  profile: Profile
  /** Open sessions including the current one, in any order. */
  sessions: SessionItem[]
  alerts: Omit<UsageAlertsProps, 'frame'>
  /** The submitted form of a deletion when the typed text is not the email address; null otherwise. */
  deletion: { typed: string; error: string } | null
}

/** Profile, sign-in methods, sessions, data export and deletion. */
export function AccountPage({ frame, profile, connections, others, sessions, alerts, deletion }: AccountProps) {
  return (
    <Shell frame={frame} title="Account" description="Profile, sign-in methods, sessions and your data.">
      <h1>Account</h1>
      <Section id="profile" title="Profile" class="panel">
        <dl class="details">
          {profile.name !== null && (
            <Detail name="Name">
              <bdi safe>{profile.name}</bdi>
            </Detail>
          )}
          <Detail name="Email">
            <bdi safe>{profile.email}</bdi>
          </Detail>
          <Detail name="Plan">
            <span safe>{profile.planLabel}</span> · <a href="/usage#plans">compare plans</a>
          </Detail>
          <Detail name="Member since">
            <DateTime ms={profile.createdAtMs} />
          </Detail>
        </dl>
      </Section>
      <Connections frame={frame} connections={connections} others={others} />
      <Sessions sessions={sessions} frame={frame} />
      <UsageAlerts frame={frame} {...alerts} />
      <Section id="data" title="Your data" class="panel">
        <p>
          Everything stored about you: profile, keys without their secrets, usage, logged requests, alerts and sessions.
        </p>
        <a class="button" href="/account/export" download="urlmeta-account.json">
          Download as JSON
        </a>
      </Section>
      <Section id="delete" title="Delete account" class="panel danger">
        <p>
          Your keys stop working immediately, and your profile, usage and sessions are deleted. This cannot be undone.
        </p>
        <details open={deletion !== null}>
          <summary class="button danger-outline">Delete my account</summary>
          <PostForm action="/account/delete" csrf={frame.csrf} class="stack">
            <TextField
              name="confirm"
              label={`Type ${profile.email} to confirm`}
              value={deletion?.typed ?? ''}
              error={deletion?.error ?? ''}
              isRequired
            />
            <button class="button danger">Delete permanently</button>
          </PostForm>
        </details>
      </Section>
    </Shell>
  )
}

/** The identities with which the user signs in, and the providers that can be connected. */
function Connections({ frame, connections, others }: Pick<AccountProps, 'frame' | 'connections' | 'others'>) {
  return (
    <Section id="connections" title="Sign-in methods" class="panel">
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
    </Section>
  )
}

/** The only identity has no Remove button, because the user could not sign in without it. */
function ConnectionRow({ frame, connection, isOnly }: { frame: Frame; connection: Connection; isOnly: boolean }) {
  const { issuer, subject, label, account, email, createdAtMs } = connection
  return (
    <li>
      <span>
        <span class="name" safe>
          {label}
        </span>{' '}
        <bdi safe>{account}</bdi>
        <br />
        <span class="muted">
          {email !== account && (
            <>
              <bdi safe>{email}</bdi>,{' '}
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
          >
            <input type="hidden" name="issuer" value={escapeHtml(issuer)} />
            <input type="hidden" name="subject" value={escapeHtml(subject)} />
          </Confirm>
        </span>
      )}
    </li>
  )
}

/** The open sessions of the user, each with a button that ends it. */
function Sessions({ frame, sessions }: { frame: Frame; sessions: SessionItem[] }) {
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
