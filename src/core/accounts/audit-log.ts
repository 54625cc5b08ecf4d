/** The audit log of operator actions, which operators can read. Times are Unix milliseconds. */

export const OPERATOR_ACTIONS = [
  'plan_changed',
  'limits_changed',
  'key_created',
  'key_updated',
  'key_rotated',
  'key_deactivated',
  'suspended',
  'resumed',
  'disconnected',
  'link_created',
  'invited',
  'invitation_revoked',
  'backed_up',
] as const
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number]

/** Kept when the affected account is deleted. */
export interface AuditEntry {
  id: string
  atMs: number
  /** The operator's email; null for the command line. */
  actor: string | null
  action: OperatorAction
  /** The affected account; null for an invitation, which has no account yet. */
  userId: string | null
  email: string
  /** `Free → Growth`, `Active keys: plan → 20`, or the key; '' when there is no detail. */
  detail: string
}

/**
 * Creates the audit entry of a change. The store writes both in one transaction, so that neither exists without the
 * other.
 */
export type AuditOf<Change = void> = (change: Change) => AuditEntry

/** The stores write an entry together with the change; `record` is for an action that changes no store. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>
  /** One page of all actions, or of the actions on one user, newest first, and the total number. */
  list(page: { userId?: string; offset: number; limit: number }): Promise<{ entries: AuditEntry[]; total: number }>
  /** Deletes entries before this time; returns how many. */
  sweep(beforeMs: number): Promise<number>
}
