import type { AuditOf, OperatorAction } from '../../core/accounts/audit-log.ts'
import type { System } from '../../core/system.ts'

/** Creates audit entries, which the stores write together with the change. */
export type Audit = ReturnType<typeof createAudit>

export function createAudit({ now, newId }: Pick<System, 'now' | 'newId'>) {
  /**
   * `actor` is the operator's email; null for the command line. The id is null for an account that does not exist yet.
   */
  return <Change = void>(
      actor: string | null,
      action: OperatorAction,
      user: { id: string | null; email: string } | null,
      detail: string | ((change: Change) => string) = '',
    ): AuditOf<Change> =>
    (change) => {
      const { id: userId, email } = user ?? { id: null, email: '' }
      const text = typeof detail === 'string' ? detail : detail(change)
      return { id: newId(), atMs: now(), actor, action, userId, email, detail: text }
    }
}
