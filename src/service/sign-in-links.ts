import type { Tickets, Users } from '../core/account-ports.ts'
import { SignInError } from '../core/identity.ts'
import { formatToken, hashToken, TOKEN_BYTES } from '../core/token.ts'
import type { DeletedAccounts } from './deleted-accounts.ts'

/** Enough time to copy a link from a terminal. */
export const SIGN_IN_LINK_MS = 15 * 60_000

/** One-time sign-in links, created on the command line. */
export interface SignInLinks {
  /**
   * Creates a link for the account with this address. The account is created when the link is redeemed, if necessary.
   */
  create(email: string): Promise<{ token: string; expiresAtMs: number }>
  /** Whether the link is still valid. Does not redeem it. */
  isOpen(token: string): Promise<boolean>
  /** Redeems the link. @throws SignInError `link_invalid`, `suspended` */
  redeem(token: string): Promise<{ userId: string }>
}

export interface SignInLinksDeps {
  tickets: Tickets
  users: Users
  deletedAccounts: DeletedAccounts
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}

export function createSignInLinks(deps: SignInLinksDeps): SignInLinks {
  const { tickets, users, deletedAccounts, now, newId, randomBytes } = deps
  const hashOf = (token: string) => hashToken('link', token)

  return {
    async create(email) {
      const token = formatToken(randomBytes(TOKEN_BYTES))
      const expiresAtMs = now() + SIGN_IN_LINK_MS
      await tickets.issue({ hash: hashOf(token), payload: email, expiresAtMs })
      return { token, expiresAtMs }
    },

    async isOpen(token) {
      return (await tickets.peek(hashOf(token), now())) !== null
    },

    async redeem(token) {
      const email = await tickets.redeem(hashOf(token), now())
      if (email === null) throw new SignInError('link_invalid', 'unknown, used or expired')
      const user = await users.ensure({ id: newId(), email, plan: 'free', createdAtMs: now() })
      if (user.suspendedAtMs !== null) throw new SignInError('suspended', `${user.id} is suspended`)
      await deletedAccounts.resume({ userId: user.id, email, identities: [] })
      return { userId: user.id }
    },
  }
}
