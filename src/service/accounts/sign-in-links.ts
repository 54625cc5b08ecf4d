import { INVITATION_MS, SIGN_IN_LINK_MS } from '../../core/lifetimes.ts'
import type { AuditOf } from '../../core/accounts/audit-log.ts'
import type { System } from '../../core/system.ts'
import { SignInError } from '../../core/accounts/identity.ts'
import type { ListPage, Users } from '../../core/accounts/ports.ts'
import type { Tickets } from '../../core/accounts/tickets.ts'
import { hashToken, newToken } from '../../core/accounts/token.ts'
import { planOfNewUser } from '../../core/plan.ts'
import type { DeletedAccounts } from './deleted-accounts.ts'

export const signInLink = (baseUrl: string, token: string): string => `${baseUrl}/sign-in/link?token=${token}`

/** The parameter `invitation` distinguishes an invalid invitation from an invalid sign-in link. */
export const invitationLink = (baseUrl: string, token: string): string => `${signInLink(baseUrl, token)}&invitation=1`

/** One-time sign-in links, created on the command line, and invitations, created by operators. */
export type SignInLinks = ReturnType<typeof createSignInLinks>

type LinkKind = 'link' | 'invitation'

interface SignInLinksDeps extends System {
  tickets: Tickets
  users: Users
  deletedAccounts: DeletedAccounts
  /** The email addresses of the operators. */
  operators: readonly string[]
}

export function createSignInLinks(deps: SignInLinksDeps) {
  const { tickets, users, deletedAccounts, operators, now, newId, randomBytes } = deps

  async function issue(kind: LinkKind, ticket: Omit<Parameters<Tickets['issue']>[0], 'hash'>, audit: AuditOf) {
    const token = newToken(randomBytes)
    await tickets.issue({ ...ticket, hash: hashToken(kind, token) }, audit)
    return { token, expiresAtMs: ticket.expiresAtMs }
  }

  /** The account of a valid link; null for an invalid link. Does not redeem the link. */
  async function find(token: string): Promise<{ email: string; isInvitation: boolean } | null> {
    const linked = await tickets.peek(hashToken('link', token), now())
    if (linked !== null) return { email: linked, isInvitation: false }
    const invited = await tickets.peek(hashToken('invitation', token), now())
    if (invited === null || (await users.findByEmail(invited)) !== null) return null
    return { email: invited, isInvitation: true }
  }

  return {
    /** Creates a link for the account with this address. Redeeming the link creates the account, if necessary. */
    create: (email: string, audit: AuditOf) =>
      issue('link', { payload: email, expiresAtMs: now() + SIGN_IN_LINK_MS }, audit),

    /**
     * Creates an invitation: a link that creates the account with this address, and is invalid after the account
     * exists. Otherwise the operator could use the link to sign in as the invited person. Earlier invitations of the
     * address are revoked.
     */
    invite: (email: string, invitedBy: string, audit: AuditOf) =>
      issue('invitation', { payload: email, expiresAtMs: now() + INVITATION_MS, invitedBy }, audit),

    invitations: (page: ListPage) => tickets.listInvitations({ ...page, nowMs: now() }),
    /** Invalidates the links of an invitation. False if the address has no invitation. */
    revokeInvitation: (email: string, audit: AuditOf) => tickets.revokeInvitations(email, audit),

    find,

    /** @throws SignInError `suspended`; `problem` if the link is invalid */
    async redeem(token: string, problem: 'link_invalid' | 'invitation_invalid'): Promise<{ userId: string }> {
      const invalid = () => new SignInError(problem, 'unknown, used, expired or revoked')
      const found = await find(token)
      if (found === null) throw invalid()
      const { email, isInvitation } = found
      const redeem = async (kind: LinkKind) => {
        if ((await tickets.redeem(hashToken(kind, token), now())) === null) throw invalid()
      }
      // An invitation is redeemed first, because an address that has an account cannot be invited again.
      if (isInvitation) await redeem('invitation')
      const id = newId()
      const user = await users.ensure({ id, email, plan: planOfNewUser(email, operators), createdAtMs: now() })
      if (isInvitation && user.id !== id) throw invalid()
      if (user.suspendedAtMs !== null) throw new SignInError('suspended', `${user.id} is suspended`)
      await deletedAccounts.restore({ userId: user.id, email, identities: [] })
      // A sign-in link is redeemed last, so that it still works after an error of the database.
      if (!isInvitation) await redeem('link')
      return { userId: user.id }
    },
  }
}
