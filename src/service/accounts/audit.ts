import type { AuditLog, OperatorAction } from '../../core/accounts/audit-log.ts'

/** Records operator actions. */
export type Audit = ReturnType<typeof createAudit>

export function createAudit({ log, now, newId }: { log: AuditLog; now: () => number; newId: () => string }) {
  return {
    /** `actor` is the operator's email; null for the command line. The id of an account is null before it exists. */
    record(
      actor: string | null,
      action: OperatorAction,
      user: { id: string | null; email: string } | null,
      detail: string,
    ) {
      const { id: userId, email } = user ?? { id: null, email: '' }
      return log.append({ id: newId(), atMs: now(), actor, action, userId, email, detail })
    },
  }
}
