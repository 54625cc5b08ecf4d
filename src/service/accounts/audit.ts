import type { AuditLog, OperatorAction } from '../../core/accounts/audit-log.ts'

/** The account an action applies to; `id` is null when it does not exist yet. */
export interface AuditTarget {
  id: string | null
  email: string
}

/** Records operator actions. */
export type Audit = ReturnType<typeof createAudit>

export function createAudit({ log, now, newId }: { log: AuditLog; now: () => number; newId: () => string }) {
  return {
    /** `actor` is the operator's email; null for the command line. */
    record: (actor: string | null, action: OperatorAction, user: AuditTarget | null, detail: string) =>
      log.append({
        id: newId(),
        atMs: now(),
        actor,
        action,
        userId: user?.id ?? null,
        email: user?.email ?? '',
        detail,
      }),
  }
}
