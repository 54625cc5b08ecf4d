import type { AuditOf } from './audit-log.ts'
import type { ListPage } from './ports.ts'

/** An invitation whose link has not been redeemed and whose address has no account. */
export interface PendingInvitation {
  email: string
  /** The email of the operator who created it. */
  invitedBy: string
  expiresAtMs: number
}

/** One-time tokens: pending sign-in attempts, sign-in links and invitations. */
export interface Tickets {
  /**
   * Stores a ticket. A ticket with `invitedBy` is an invitation: its payload is the invited email address, and it
   * replaces earlier invitations of that address. Atomic.
   */
  issue(
    ticket: { hash: string; payload: string; expiresAtMs: number; invitedBy?: string },
    audit?: AuditOf,
  ): Promise<void>
  /** Returns the payload without redeeming the ticket; null when the ticket is unknown, redeemed or expired. */
  peek(hash: string, nowMs: number): Promise<string | null>
  /** Redeems the ticket and returns its payload; null when it is unknown, redeemed or expired. Atomic. */
  redeem(hash: string, nowMs: number): Promise<string | null>
  /** One page of the pending invitations, latest expiry first, and their total number. */
  listInvitations(page: ListPage & { nowMs: number }): Promise<{ invitations: PendingInvitation[]; total: number }>
  /** Deletes all invitations of the address. False when there was none. */
  revokeInvitations(email: string, audit?: AuditOf): Promise<boolean>
  /** Deletes expired tickets; returns how many. */
  sweep(nowMs: number): Promise<number>
}
