import { escapeHtml } from '@kitajs/html'

import type { AuditEntry, OperatorAction } from '../../src/core/accounts/audit-log.ts'
import type { Frame } from '../shell.tsx'
import { TextLink } from '../ui/text.tsx'
import { Timestamp } from '../ui/time.tsx'
import { AdminShell } from './admin-shell.tsx'
import { PagedList, type Paging } from '../ui/pager.tsx'

const ACTION_TEXTS: Record<OperatorAction, string> = {
  plan_changed: 'changed the plan of',
  limits_changed: 'changed the limits of',
  key_created: 'created a key for',
  key_updated: 'changed a key of',
  key_rotated: 'rotated a key of',
  key_deactivated: 'deactivated a key of',
  suspended: 'suspended',
  resumed: 'lifted the suspension of',
  disconnected: 'removed the sign-in methods of',
  link_created: 'created a sign-in link for',
  invited: 'invited',
  invitation_revoked: 'revoked the invitation of',
  backed_up: 'started a backup',
}

/** All operator actions, newest first. */
export function AdminAuditPage({ frame, entries, paging }: { frame: Frame; entries: AuditEntry[]; paging: Paging }) {
  return (
    <AdminShell frame={frame} title="Audit log">
      <PagedList paging={paging} href={(page) => `/admin/audit?page=${page}`}>
        <AuditList
          entries={entries}
          isLinked
          empty="No activity yet. Plan changes, suspensions, key deactivations and other operator actions are listed here."
        />
      </PagedList>
    </AdminShell>
  )
}

interface AuditListProps {
  entries: readonly AuditEntry[]
  /** Shown if there are no entries. */
  empty: string
  /** Whether addresses lead to their users. */
  isLinked?: boolean
}

/** The search also finds who has been invited, and says so if an account was deleted. */
const userSearch = (email: string) => `/admin?${new URLSearchParams({ q: email })}`

export function AuditList({ entries, empty, isLinked = false }: AuditListProps) {
  if (entries.length === 0) return <p class="empty">{escapeHtml(empty)}</p>
  return (
    <ol class="rows log">
      {entries.map(({ atMs, actor, action, email, detail }) => (
        <li>
          <span class="muted">
            <Timestamp ms={atMs} />
          </span>
          <span>
            <b>
              <bdi safe>{actor ?? 'The command line'}</bdi>
            </b>{' '}
            <span safe>{ACTION_TEXTS[action]}</span>{' '}
            <b>
              <bdi>
                <TextLink href={isLinked && email !== '' ? userSearch(email) : undefined} text={email} />
              </bdi>
            </b>
            {detail !== '' && ': '}
            <bdi safe>{detail}</bdi>
          </span>
        </li>
      ))}
    </ol>
  )
}
