import type { AuditEntry, OperatorAct, UserOverview } from '../core/account-ports.ts'
import type { Plans } from '../core/plan.ts'
import type { AuditEntry as AuditItem } from '../../views/admin/audit.tsx'
import type { AdminUserItem } from '../../views/admin/users.tsx'

/** What a user is measured by. */
export interface AdminItemRules {
  plans: Plans
  /** Addresses whose owners are operators. */
  operatorEmails: readonly string[]
}

/** A user as the pages of operators list them. */
export function adminUserOf(user: UserOverview, { plans, operatorEmails }: AdminItemRules): AdminUserItem {
  const { id, email, name, plan, activeKeys, createdAtMs } = user
  return {
    id,
    email,
    name,
    plan,
    planLabel: plans[plan].label,
    activeKeys,
    usedThisMonth: user.used,
    monthLimit: plans[plan].perMonth,
    createdAtMs,
    isSuspended: user.suspendedAtMs !== null,
    isOperator: operatorEmails.includes(email),
  }
}

const ACTS: Record<OperatorAct, string> = {
  plan_changed: 'changed the plan',
  key_created: 'made a key',
  key_deactivated: 'deactivated a key',
  suspended: 'suspended',
  resumed: 'ended the suspension',
  disconnected: 'removed the ways to sign in of',
  link_made: 'made a sign-in link',
}

/** An act as the pages of operators list it. */
export function auditItemOf({ atMs, actor, act, email, detail }: AuditEntry): AuditItem {
  return { atMs, actor: actor ?? 'shell', action: ACTS[act], subject: email, detail }
}
