/** The audit log, in which operators see the actions of operators. Times are Unix milliseconds. */

/** The operator actions that are recorded in the audit log. */
export const OPERATOR_ACTIONS = [
  'plan_changed',
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
] as const
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number]

/** One operator action. Kept when the account is deleted. */
export interface AuditEntry {
  id: string
  atMs: number
  /** The operator's email; null for the command line. */
  actor: string | null
  action: OperatorAction
  /** The affected account. */
  userId: string | null
  email: string
  /** `Free → Growth`, or the key; '' when there is no detail. */
  detail: string
}

/** Describes a change. The store writes the entry in the transaction of the change, so that neither exists without the other. */
export type AuditOf<Change = void> = (change: Change) => AuditEntry

/** Entries are written by the methods of other stores that change something. */
export interface AuditLog {
  /** One page of all actions, or of the actions on one user, newest first, and the total number. */
  list(page: { userId?: string; offset: number; limit: number }): Promise<{ entries: AuditEntry[]; total: number }>
  /** Deletes entries before this time; returns how many. */
  sweep(beforeMs: number): Promise<number>
}
