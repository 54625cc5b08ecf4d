import type { Tickets, Users } from '../core/account-ports.ts'
import { SignInError } from '../core/identity.ts'
import { formatToken, hashToken, TOKEN_BYTES } from '../core/token.ts'

/** Long enough to copy it from a terminal. */
export const LINK_MS = 15 * 60_000

/** Sign-in by a link that an operator made in a shell: it works once. */
export interface SignInLinks {
  /** The token of a new link for the account with this address, which is made at its use if need be. */
  make(email: string): Promise<{ token: string; expiresAtMs: number }>
  /** Whether the link would still work; does not use it up. */
  isOpen(token: string): Promise<boolean>
  /** Uses the link up. @throws SignInError `link_spent`, `suspended` */
  redeem(token: string): Promise<{ userId: string }>
}

export interface SignInLinksParts {
  tickets: Tickets
  users: Users
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}

export function createSignInLinks({ tickets, users, now, newId, randomBytes }: SignInLinksParts): SignInLinks {
  const nameOf = (token: string) => hashToken('link', token)

  return {
    async make(email) {
      const token = formatToken(randomBytes(TOKEN_BYTES))
      const expiresAtMs = now() + LINK_MS
      await tickets.issue({ hash: nameOf(token), payload: email, expiresAtMs })
      return { token, expiresAtMs }
    },

    async isOpen(token) {
      return (await tickets.peek(nameOf(token), now())) !== null
    },

    async redeem(token) {
      const email = await tickets.redeem(nameOf(token), now())
      if (email === null) throw new SignInError('link_spent', 'unknown, used or too old')
      const user = await users.ensure({ id: newId(), email, plan: 'free', createdAtMs: now() })
      if (user.suspendedAtMs !== null) throw new SignInError('suspended', `${user.id} is suspended`)
      return { userId: user.id }
    },
  }
}
