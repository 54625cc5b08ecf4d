import type { AuditLog, OperatorAct } from '../core/account-ports.ts'

/** The account that something is done to; `id` is null for one that is not made yet. */
export interface ActedUpon {
  id: string | null
  email: string
}

/** Writes down what operators do. */
export interface Audit {
  /** `actor` is the operator's email; null for a command in a shell of the server. */
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
