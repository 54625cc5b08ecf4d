import type { Session, Sessions, User } from '../core/account-ports.ts'
import { formatToken, hashToken, TOKEN_BYTES } from '../core/token.ts'

/** A session that nobody uses ends after a week; one that is used goes on. */
const SESSION_IDLE_MS = 7 * 24 * 60 * 60_000

/** However much it is used, after thirty days one signs in again. */
export const SESSION_MAX_MS = 30 * 24 * 60 * 60_000

/** Writing on every page view would tell nothing more. */
const TOUCH_EVERY_MS = 5 * 60_000

/** Some browsers' headers are long; the list shows the name and version that stand in the first part. */
const MAX_USER_AGENT_CHARACTERS = 300

/** A signed-in visitor, as of this request. */
export interface SignedIn {
  sessionId: string
  user: User
  /** By URLMETA_ADMIN_EMAILS, looked at anew for each request. */
  isOperator: boolean
}

export interface SessionKeeper {
  /**
   * Begins a session under a new token, which is returned this once. The session that the browser had before ends, so
   * that a token planted there is worth nothing.
   */
  open(userId: string, browser: { userAgent: string; previousToken: string | null }): Promise<string>
  /** Who holds the token; null when it is unknown or over, or its user is suspended. Keeps the session alive. */
  find(token: string): Promise<SignedIn | null>
  list(userId: string): Promise<Session[]>
  /** Ends a session of the user. False when they have none with this id. */
  revoke(userId: string, sessionId: string): Promise<boolean>
  /** Ends all sessions of the user but one; says how many. */
  revokeOthers(userId: string, keptId: string): Promise<number>
}

export interface SessionsParts {
  sessions: Sessions
  /** Addresses whose owners are operators, in lower case. */
  operators: readonly string[]
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}

export function createSessions({ sessions, operators, now, newId, randomBytes }: SessionsParts): SessionKeeper {
  const expiryOf = (createdAtMs: number, seenAtMs: number) =>
    Math.min(createdAtMs + SESSION_MAX_MS, seenAtMs + SESSION_IDLE_MS)

  return {
    async open(userId, { userAgent, previousToken }) {
      const token = formatToken(randomBytes(TOKEN_BYTES))
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

    async find(token) {
      const atMs = now()
      const found = await sessions.find(hashToken('session', token), atMs)
      if (!found) return null
      const { session, user } = found
      if (atMs - session.lastSeenAtMs >= TOUCH_EVERY_MS) {
        await sessions.touch(session.id, { lastSeenAtMs: atMs, expiresAtMs: expiryOf(session.createdAtMs, atMs) })
      }
      return { sessionId: session.id, user, isOperator: operators.includes(user.email) }
    },

    list: (userId) => sessions.list(userId, now()),
    revoke: (userId, sessionId) => sessions.revoke(userId, sessionId),
    revokeOthers: (userId, keptId) => sessions.revokeOthers(userId, keptId),
  }
}
