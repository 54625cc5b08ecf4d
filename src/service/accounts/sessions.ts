import { MINUTE_MS } from '../../core/duration.ts'
import { SESSION_IDLE_MS, SESSION_MAX_MS } from '../../core/lifetimes.ts'
import type { User } from '../../core/accounts/ports.ts'
import type { System } from '../../core/system.ts'
import type { AccountStores } from '../stores.ts'
import { hashToken, newToken } from '../../core/accounts/token.ts'

/** Limits how often a session's last use is written. */
const TOUCH_EVERY_MS = 5 * MINUTE_MS

/** Longer headers are truncated; the browser's name and version usually come first. */
const MAX_USER_AGENT_CHARACTERS = 300

export interface SignedIn {
  sessionId: string
  user: User
  /** Whether URLMETA_ADMIN_EMAILS contains the user's address. Checked for each request. */
  isOperator: boolean
}

export type SessionService = ReturnType<typeof createSessions>

export interface SessionsDeps extends Pick<AccountStores, 'sessions'>, System {
  /** Email addresses in lower case. */
  operators: readonly string[]
}

export function createSessions({ sessions, operators, now, newId, randomBytes }: SessionsDeps) {
  const expiryOf = (createdAtMs: number, seenAtMs: number) =>
    Math.min(createdAtMs + SESSION_MAX_MS, seenAtMs + SESSION_IDLE_MS)

  return {
    /**
     * Starts a session and returns its token, which is not stored. Ends the previous session, against session fixation.
     */
    async open(userId: string, { userAgent, previousToken }: { userAgent: string; previousToken: string | null }) {
      const token = newToken(randomBytes)
      const atMs = now()
      const session = {
        id: newId(),
        userId,
        userAgent: userAgent.slice(0, MAX_USER_AGENT_CHARACTERS),
        createdAtMs: atMs,
        lastSeenAtMs: atMs,
        expiresAtMs: expiryOf(atMs, atMs),
      }
      const replaces = previousToken === null ? null : hashToken('session', previousToken)
      await sessions.open({ ...session, tokenHash: hashToken('session', token) }, replaces)
      return token
    },

    /**
     * The user of a token; null if the token is unknown or expired, or if the user is suspended. Extends the session.
     */
    async find(token: string): Promise<SignedIn | null> {
      const atMs = now()
      const found = await sessions.find(hashToken('session', token), atMs)
      if (!found) return null
      const { session, user } = found
      if (atMs - session.lastSeenAtMs >= TOUCH_EVERY_MS) {
        const times = { lastSeenAtMs: atMs, expiresAtMs: expiryOf(session.createdAtMs, atMs) }
        // Not awaited: with a full disk, pages can still be read, and operators need them. The next request tries
        // again.
        sessions.touch(session.id, times).catch(() => {})
      }
      return { sessionId: session.id, user, isOperator: operators.includes(user.email) }
    },

    list: (userId: string) => sessions.list(userId, now()),
    /** False if the user has no session with this id. */
    revoke: (userId: string, sessionId: string) => sessions.revoke(userId, sessionId),
    /** Ends all other sessions of the user; returns their number. */
    revokeOthers: (userId: string, keptId: string) => sessions.revokeOthers(userId, keptId),
  }
}
