import type { User } from '../src/core/accounts/ports.ts'
import { Connections, type ConnectionsProps } from './account/connections.tsx'
import { Sessions, type SessionItem } from './account/sessions.tsx'
import { UsageAlerts, type UsageAlertsProps } from './account/usage-alerts.tsx'
import { Section, Shell } from './shell.tsx'
import { Detail } from './ui/detail.tsx'
import { PostForm, TextField } from './ui/form.tsx'
import { DateTime } from './ui/time.tsx'
import { ButtonLink } from './ui/button-link.tsx'

export interface AccountProps extends ConnectionsProps {
  profile: Pick<User, 'email' | 'name' | 'createdAtMs'> & { planLabel: string }
  /** Open sessions including the current one, most recently used first. */
  sessions: SessionItem[]
  alerts: Omit<UsageAlertsProps, 'frame'>
  /** The submitted form of a deletion when the typed text is not the email address; null otherwise. */
  deletion: { typed: string; error: string } | null
}

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
        <ButtonLink href="/account/export" text="Download as JSON" download="urlmeta-account.json" />
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
