import { Html } from '@elysiajs/html'

import type { Frame } from '../shell.tsx'
import { Moment } from '../ui/time.tsx'
import { AdminShell } from './admin-shell.tsx'
import { Pager, type Paging, PastTheEnd } from './pager.tsx'

/** One act of an operator. */
export interface AuditEntry {
  atMs: number
  /** Email of who did it, or `shell`. */
  actor: string
  /** As people read it: `changed plan`. */
  action: string
  /** Whom or what it was done to, mostly an email. */
  subject: string
  /** `Free → Growth`; '' for nothing more to say. */
  detail: string
}

export interface AdminAuditProps {
  frame: Frame
  /** Newest first. */
  entries: AuditEntry[]
  paging: Paging
}

/** Every act of an operator. */
export function AdminAudit({ frame, entries, paging }: AdminAuditProps) {
  const href = (page: number) => `/admin/audit?page=${page}`
  return (
    <AdminShell frame={frame} title="Audit log">
      <h1>Audit log</h1>
      {paging.page > paging.pages ? (
        <PastTheEnd paging={paging} href={href} />
      ) : (
        <AuditList
          entries={entries}
          empty="Nothing so far. Changes of plans, suspensions and deactivations by operators are written down here."
        />
      )}
      <Pager paging={paging} href={href} />
    </AdminShell>
  )
}

/** Acts in the order given, or the words for none. */
export function AuditList({ entries, empty }: { entries: readonly AuditEntry[]; empty: string }) {
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
            <Moment ms={atMs} />
          </span>
          <span>
            <b safe>{actor}</b> <span safe>{action}</span> <b safe>{subject}</b>
            {detail !== '' && <span safe>{`: ${detail}`}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
