/*
 * Accounts and what belongs to them. Times are Unix milliseconds, months `2026-11`, days `2026-11-20`.
 * Ids, times and hashes come in as arguments; what must be atomic is one verb.
 */

import type { IdentityClaim, IdentityKey, SignInDecision } from './identity.ts'
import type { PlanName } from './plan.ts'

export interface NewUser {
  id: string
  /** Lower case; unique. */
  email: string
  plan: PlanName
  createdAtMs: number
}

export interface User extends NewUser {
  /** As an identity provider gave it. */
  name: string | null
  /** Null unless an operator suspended the user: no sign-in, no session, no key works then. */
  suspendedAtMs: number | null
}

/** A user as found by a search. */
export interface ListedUser extends User {
  activeKeys: number
}

export interface UserSearch {
  /** Part of an email or name, in any case of any script; '' finds everybody. */
  text: string
  offset: number
  limit: number
}

export interface Users {
  /** The user with this email, made as given when there is none. Atomic. */
  ensure(user: NewUser): Promise<User>
  find(id: string): Promise<User | null>
  findByEmail(email: string): Promise<User | null>
  /** All users, oldest first. */
  list(): Promise<User[]>
  /** One page of the users that match, newest first, and how many match in all. */
  search(search: UserSearch): Promise<{ users: ListedUser[]; total: number }>
  /** Null when no user has this email. In force from the next request on. Atomic. */
  setPlan(email: string, plan: PlanName): Promise<{ user: User; hasChanged: boolean } | null>
  /** Suspends, and ends every session. False when the user is gone or was suspended before: the first time counts. Atomic. */
  suspend(id: string, atMs: number): Promise<boolean>
  /** Ends a suspension. False when the user is gone or not suspended. */
  resume(id: string): Promise<boolean>
  /** Deletes the user with keys, sessions and identities. False when there is no such user. Atomic. */
  remove(id: string): Promise<boolean>
}

export interface ApiKey {
  id: string
  userId: string
  name: string
  /** The last four characters of the key, to tell keys apart. */
  lastFour: string
  createdAtMs: number
  /** Null while the key is active. Deactivation is final. */
  deactivatedAtMs: number | null
}

/** Keys of one user, and how many there are on all pages. */
export interface KeyList {
  keys: ApiKey[]
  total: number
  active: number
}

export interface NewApiKey {
  id: string
  userId: string
  name: string
  /** SHA-256 of the key, lower-case hex; the key itself is never stored. */
  hash: string
  lastFour: string
  createdAtMs: number
}

/** What admission needs to know of a key. */
export interface KeyHolder {
  keyId: string
  userId: string
  plan: PlanName
}

export interface Keys {
  /**
   * Stores the key, unless one with its id was stored before, its owner already holds `maxActive` active ones, or has
   * created `recent.max` since `recent.sinceMs`, deactivated ones included. Atomic.
   */
  create(
    key: NewApiKey,
    maxActive: number,
    recent?: { max: number; sinceMs: number },
  ): Promise<'created' | 'repeated' | 'too_many' | 'too_many_recent'>
  /**
   * The holder of the active key with this hash, as of this turn of the event loop; null for unknown and deactivated keys
   * and for suspended holders. A change by this process applies at once, one by another process from the next turn on.
   */
  findActive(hash: string): Promise<KeyHolder | null>
  /** All keys with their owner's email, oldest first. */
  list(): Promise<(ApiKey & { email: string })[]>
  /** The keys of one user, or one page of them: active keys first, each newest first. */
  listOf(userId: string, page?: { offset: number; limit: number }): Promise<KeyList>
  /** A key of the user; null when they have none with this id. */
  findOf(userId: string, id: string): Promise<ApiKey | null>
  /**
   * Deactivates for good; the key as it is then, and whether it was active until now. Null when no key has this id, or
   * when it belongs to another than the `ownerId` that is given. Atomic.
   */
  deactivate(id: string, atMs: number, ownerId?: string): Promise<{ key: ApiKey; hasChanged: boolean } | null>
  /** Forgets keys that were deactivated before then; says how many. */
  sweep(deactivatedBeforeMs: number): Promise<number>
}

/** A person as an identity provider knows them; one user may have several. */
export interface Identity extends IdentityKey {
  /** What the person is called there: a login, or an address. */
  account: string
  /** The address that the provider vouched for at the last sign-in. */
  email: string
  createdAtMs: number
}

export interface Identities {
  /**
   * Finds, joins or makes the user of a claim as `decideSignIn` says, and notes what the provider says of them now. The
   * user is made as given when there is none. Atomic.
   */
  signIn(
    claim: IdentityClaim & { verifiedEmail: string },
    newUser: Omit<NewUser, 'email'>,
  ): Promise<{ decision: SignInDecision; user: User | null }>
  /** The identities of a user, oldest first. */
  list(userId: string): Promise<Identity[]>
  /** Forgets an identity of the user, unless they have no such identity, or no other one. Atomic. */
  remove(userId: string, key: IdentityKey): Promise<'removed' | 'unknown' | 'last'>
  /** Forgets all identities of the user and ends every session; the accounts at providers that they were of. Atomic. */
  disconnect(userId: string): Promise<Pick<Identity, 'issuer' | 'account'>[]>
}

/** A signed-in browser. */
export interface Session {
  id: string
  userId: string
  /** The browser's User-Agent header; '' when it sent none. */
  userAgent: string
  createdAtMs: number
  lastSeenAtMs: number
  expiresAtMs: number
}

export interface Sessions {
  /** Keeps a session under the SHA-256 of its token, and ends the one with the hash `replaces`. Atomic. */
  open(session: Session & { tokenHash: string }, replaces: string | null): Promise<void>
  /** The session with this hash and its user; null when it is unknown or over, or its user is suspended. */
  find(tokenHash: string, nowMs: number): Promise<{ session: Session; user: User } | null>
  /** Notes that the session is in use. */
  touch(id: string, times: Pick<Session, 'lastSeenAtMs' | 'expiresAtMs'>): Promise<void>
  /** The open sessions of a user, the one last seen first. */
  list(userId: string, nowMs: number): Promise<Session[]>
  /** Ends a session of the user. False when they have none with this id. */
  revoke(userId: string, id: string): Promise<boolean>
  /** Ends all sessions of the user but one; says how many. */
  revokeOthers(userId: string, keptId: string): Promise<number>
  /** Forgets sessions that were over by then; says how many. */
  sweep(nowMs: number): Promise<number>
}

/** A promise that is kept once: an attempt to sign in that is under way, or a sign-in link. */
export interface Tickets {
  issue(ticket: { hash: string; payload: string; expiresAtMs: number }): Promise<void>
  /** The payload, unless the ticket is unknown, redeemed or over. Changes nothing. */
  peek(hash: string, nowMs: number): Promise<string | null>
  /** The payload, for the first who asks in time; null for everybody else. Atomic. */
  redeem(hash: string, nowMs: number): Promise<string | null>
  /** Forgets tickets that were over by then; says how many. */
  sweep(nowMs: number): Promise<number>
}

/** What operators do to accounts. */
export const OPERATOR_ACTIONS = [
  'plan_changed',
  'key_created',
  'key_deactivated',
  'suspended',
  'resumed',
  'disconnected',
  'link_made',
] as const
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number]

/** One act of an operator. It outlives the accounts it names. */
export interface AuditEntry {
  id: string
  atMs: number
  /** The operator's email; null for a command in a shell of the server. */
  actor: string | null
  act: OperatorAction
  /** The account it was done to. */
  userId: string | null
  email: string
  /** `free → growth`, or the key; '' when the act says it all. */
  detail: string
}

export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
  /** One page, newest first, of all acts or those upon one user; and how many there are in all. */
  list(page: { userId?: string; offset: number; limit: number }): Promise<{ entries: AuditEntry[]; total: number }>
}
