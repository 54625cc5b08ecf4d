import type { AuditLog, OperatorAct } from '../core/account-ports.ts'

/** The account an action applies to; `id` is null when it does not exist yet. */
export interface ActedUpon {
  id: string | null
  email: string
}

/** Records operator actions. */
export interface Audit {
  /** `actor` is the operator's email; null for the command line. */
  note(actor: string | null, act: OperatorAct, user: ActedUpon | null, detail: string): Promise<void>
}

export interface AuditParts {
  log: AuditLog
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
}

export function createAudit({ log, now, newId }: AuditParts): Audit {
  return {
    note: (actor, act, user, detail) =>
      log.append({ id: newId(), atMs: now(), actor, act, userId: user?.id ?? null, email: user?.email ?? '', detail }),
  }
}
