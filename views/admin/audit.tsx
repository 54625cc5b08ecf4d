import type { Frame } from '../shell.tsx'
import { Timestamp } from '../ui/time.tsx'
import { AdminShell } from './admin-shell.tsx'
import { PagedList, type Paging } from './pager.tsx'

export interface AuditItem {
  atMs: number
  /** The operator's email, or `The command line`. */
  actor: string
  /** As shown to people: `changed the plan of`. */
  action: string
  /** The account it applies to, as an email address. */
  subject: string
  /** `Free → Growth`; '' when there is no detail. */
  detail: string
}

export interface AdminAuditProps {
  frame: Frame
  /** Newest first. */
  entries: AuditItem[]
  paging: Paging
}

/** All operator actions. */
export function AdminAuditPage({ frame, entries, paging }: AdminAuditProps) {
  return (
    <AdminShell frame={frame} title="Audit log">
      <h1>Audit log</h1>
      <PagedList paging={paging} href={(page) => `/admin/audit?page=${page}`}>
        <AuditList
          entries={entries}
          empty="No activity yet. Plan changes, suspensions, key deactivations and other operator actions are listed here."
        />
      </PagedList>
    </AdminShell>
  )
}

/** The entries in the given order, or a message when there are none. */
export function AuditList({ entries, empty }: { entries: readonly AuditItem[]; empty: string }) {
  if (entries.length === 0) {
    return (
      <p class="empty" safe>
        {empty}
      </p>
    )
  }
  return (
    <ol class="rows log">
      {entries.map(({ atMs, actor, action, subject, detail }) => (
        <li>
          <span class="muted">
            <Timestamp ms={atMs} />
          </span>
          <span>
            <b>
              <bdi safe>{actor}</bdi>
            </b>{' '}
            <span safe>{action}</span>{' '}
            <b>
              <bdi safe>{subject}</bdi>
            </b>
            {detail !== '' && (
              <>
                : <bdi safe>{detail}</bdi>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}
