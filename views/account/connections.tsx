import { escapeHtml } from '@kitajs/html'

import type { Identity } from '../../src/core/accounts/ports.ts'
import { type Frame, Section } from '../shell.tsx'
import { Confirm } from '../ui/form.tsx'
import { InlineText } from '../ui/text.tsx'
import { DateTime } from '../ui/time.tsx'

export type Connection = Identity & { label: string }

export interface ConnectionsProps {
  frame: Frame
  connections: Connection[]
  /** Configured providers that are not connected. */
  others: { id: string; label: string }[]
}

export function Connections({ frame, connections, others }: ConnectionsProps) {
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
              <InlineText class="name" text={label} />
              <a class="button small end" href={`/sign-in/${encodeURIComponent(id)}?next=%2Faccount`}>
                Connect <InlineText class="visually-hidden" text={label} />
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
        <InlineText class="name" text={label} /> <bdi safe>{account}</bdi>
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
