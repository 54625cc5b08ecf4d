import type { AuditEntry, OperatorAction } from '../../core/accounts/audit-log.ts'
import type { Plans } from '../../core/plan.ts'
import type { UserOverview } from '../../service/accounts/operators.ts'
import type { AuditItem } from '../../../views/admin/audit.tsx'
import type { AdminUserItem } from '../../../views/admin/users.tsx'

/** The configuration needed to display a user. */
export interface AdminItemRules {
  plans: Plans
  operatorEmails: readonly string[]
}

/** A user for the operators' pages. */
export function adminUserOf(user: UserOverview, { plans, operatorEmails }: AdminItemRules): AdminUserItem {
  const { label, perMonth } = plans[user.plan]
  const isOperator = operatorEmails.includes(user.email)
  return { ...user, planLabel: label, usedThisMonth: user.used, monthLimit: perMonth, isOperator }
}

const ACTION_TEXTS: Record<OperatorAction, string> = {
  plan_changed: 'changed the plan of',
  key_created: 'created a key for',
  key_updated: 'changed a key of',
  key_rotated: 'rotated a key of',
  key_deactivated: 'deactivated a key of',
  suspended: 'suspended',
  resumed: 'lifted the suspension of',
  disconnected: 'removed the sign-in methods of',
  link_created: 'created a sign-in link for',
  invited: 'invited',
  invitation_revoked: 'revoked the invitation of',
}

/** An audit log entry for the operators' pages. */
export function auditItemOf({ atMs, actor, action, email, detail }: AuditEntry): AuditItem {
  return { atMs, actor: actor ?? 'The command line', action: ACTION_TEXTS[action], subject: email, detail }
}
