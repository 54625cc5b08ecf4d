import type { AuditEntry, OperatorAction } from '../../core/accounts/audit-log.ts'
import type { System } from '../../core/system.ts'

/** Creates entries for the audit log, which the stores write together with the change. */
export type Audit = ReturnType<typeof createAudit>

export function createAudit({ now, newId }: Pick<System, 'now' | 'newId'>) {
  return {
    /** `actor` is the operator's email; null for the command line. The id of an account is null before it exists. */
    entry(
      actor: string | null,
      action: OperatorAction,
      user: { id: string | null; email: string } | null,
      detail = '',
    ): AuditEntry {
      const { id: userId, email } = user ?? { id: null, email: '' }
      return { id: newId(), atMs: now(), actor, action, userId, email, detail }
    },
  }
}
