/*
 * Storage interfaces for accounts. Times are Unix milliseconds, months `2026-11`, days `2026-11-20`. Callers supply
 * ids, times and hashes. Methods marked "Atomic" run in one transaction. A method with the argument `audit` writes
 * its entry to the audit log if it changed something, in the same transaction.
 */

import type { AuditOf } from './audit-log.ts'
import type { IdentityClaim, IdentityKey, SignInDecision } from './identity.ts'
import type { AllowLists, KeySettings } from './key-settings.ts'
import type { AddressRange } from '../net/address.ts'
import type { UserPlan } from '../plan.ts'
import type { PlanName } from '../plan.ts'
import type { RejectedRequests } from '../rejected-requests.ts'

export interface NewUser {
  id: string
  /** Lower case; unique. */
  email: string
  plan: PlanName
  createdAtMs: number
}

export interface User extends NewUser, UserPlan {
  /** From the identity provider; null when it sent none. */
  name: string | null
  /** Null unless an operator suspended the user, which disables sign-in, sessions and keys. */
  suspendedAtMs: number | null
  /** Whether the host and path of requested URLs are written to the user's request log. */
  logsUrls: boolean
}

export interface ListedUser extends User {
  activeKeys: number
}

export interface UserFilter {
  /** Part of an email or name, case-insensitive; '' matches all users. */
  text: string
  /** Null for users of any plan. */
  plan: PlanName | null
  /** Null for both active and suspended users. */
  isSuspended: boolean | null
}

export interface ListPage {
  offset: number
  limit: number
}

export interface UserSearch extends UserFilter, ListPage {
  /** Matches are counted up to this number, because counting reads all of them. */
  maxTotal: number
  /** Expired keys are not counted as active. */
  nowMs: number
}

/** The read-only methods of `Users`. */
export interface UserReads {
  find(id: string): Promise<User | null>
  findByEmail(email: string): Promise<User | null>
  /** All users, oldest first. */
  list(): Promise<User[]>
  /** One page of the matching users, newest first, and the number of matches, at most `maxTotal`. */
  search(search: UserSearch): Promise<{ users: ListedUser[]; total: number }>
  /** The ids of all matching users, newest first. */
  matching(filter: UserFilter): Promise<string[]>
  /** The users with these ids, in this order; unknown ids are skipped. */
  listed(ids: readonly string[], nowMs: number): Promise<ListedUser[]>
}

export interface UserWrites {
  /** Returns the user with this email, or creates it. Atomic. */
  ensure(user: NewUser): Promise<User>
  /** Changes plan or own limits, effective with the next request. Null when no user has this email. Atomic. */
  setPlan(
    email: string,
    changes: Partial<UserPlan>,
    audit?: AuditOf<User>,
  ): Promise<{ user: User; hasChanged: boolean } | null>
  /** Suspends the user and ends all sessions. False when the user does not exist or is already suspended. Atomic. */
  suspend(id: string, atMs: number, audit?: AuditOf): Promise<boolean>
  /** Ends a suspension. False when the user does not exist or is not suspended. */
  resume(id: string, audit?: AuditOf): Promise<boolean>
  setLogsUrls(id: string, logsUrls: boolean): Promise<void>
  /** Deletes the user with keys, sessions, identities, shared results and logged requests. False if unknown. Atomic. */
  remove(id: string): Promise<boolean>
}

export interface Users extends UserReads, UserWrites {}

export interface ApiKey extends KeySettings {
  id: string
  userId: string
  /** The last four characters of the key, to tell keys apart. */
  lastFour: string
  createdAtMs: number
  /** Null unless the key was deactivated, which is final. */
  deactivatedAtMs: number | null
  /**
   * The id of the key that replaces this one; null when the key was not rotated. A replaced key works until `expiresAtMs`.
   */
  replacedById: string | null
  /** Null unless the key was deleted to make room for another one. Deleted keys are not listed. */
  deletedAtMs: number | null
  /** The requests that were rejected because the key no longer works. */
  rejectedRequests: number
  firstRejectedAtMs: number | null
  lastRejectedAtMs: number | null
}

/** A page of a user's keys, with the counts over all pages. */
export interface KeyList {
  keys: ApiKey[]
  total: number
  /** Keys that are neither deactivated, expired nor replaced. They count against the user's maximum. */
  active: number
}

export interface NewApiKey extends Pick<ApiKey, 'id' | 'userId' | 'lastFour' | 'createdAtMs'>, KeySettings {
  /** SHA-256 of the key, lower-case hex; the key itself is never stored. */
  hash: string
}

/**
 * The owner of a key, with what decides their limits. Read from the store for every request. `endOf` tells whether the
 * key works.
 */
export interface KeyOwner
  extends
    UserPlan,
    Omit<AllowLists, 'allowedAddresses'>,
    Pick<ApiKey, 'expiresAtMs' | 'deactivatedAtMs' | 'replacedById' | 'deletedAtMs'> {
  keyId: string
  userId: string
  /** Whether host and path of requests are written to the user's request log. */
  logsUrls: boolean
  /** The parsed `allowedAddresses`; empty allows every address. */
  allowedRanges: readonly AddressRange[]
}

/** Limits how many keys a user creates in a period. Keys that were deactivated in the meantime are counted too. */
export interface RecentKeys {
  max: number
  sinceMs: number
}

/** The read-only methods of `Keys`. */
export interface KeyReads {
  /**
   * The owner of the key with this hash, as of this turn of the event loop, also of a key that no longer works; null for
   * unknown keys and for suspended owners. A change made by this process applies immediately; one made by another process
   * applies from the next turn.
   */
  findOwner(hash: string): KeyOwner | Promise<KeyOwner | null>
  /** Whether at least one working key allows pages of this origin; null for any origin. */
  isOriginAllowed(origin: string | null, nowMs: number): Promise<boolean>
  /** All keys with their owner's email, oldest first. No list has deleted keys, except `listOf` without a page. */
  list(): Promise<(ApiKey & { email: string })[]>
  /** One user's keys, or a page of them: working keys first, then deactivated and expired keys, each group newest first. */
  listOf(userId: string, nowMs: number, page?: ListPage): Promise<KeyList>
  find(id: string): Promise<ApiKey | null>
  findOf(userId: string, id: string): Promise<ApiKey | null>
  /**
   * The user's keys with requests that were rejected since `sinceMs`, or for replaced keys since `replacedSinceMs`; the
   * latest first.
   */
  listRejected(userId: string, page: { sinceMs: number; replacedSinceMs: number; limit: number }): Promise<ApiKey[]>
}

export interface KeyWrites {
  /**
   * Stores the key, unless its id exists (`repeated`), the owner has `maxActive` other keys that are active at its
   * creation time and not replaced (`too_many`), or the owner has reached the `max` of one of the `recent` periods
   * (`too_many_recent`). Atomic.
   */
  create(
    key: NewApiKey,
    maxActive: number,
    recent?: readonly RecentKeys[],
    audit?: AuditOf<NewApiKey>,
  ): Promise<'created' | 'repeated' | 'too_many' | 'too_many_recent'>
  /**
   * Stores the successor of the key `id` of the same owner. The old key then expires at `endsAtMs`, or at its own
   * expiry if that is earlier. `inactive` for an old key that is unknown, deleted or already replaced, or that no longer
   * works while the owner has `maxActive` (default 0) other active keys. If the owner has reached the `max` of one of the `recent`
   * periods, `too_many_recent`, unless the old key ends at once: then the newest other key that has ended is deleted: it
   * is no longer listed, and its row is kept for the requests that are rejected. Atomic.
   */
  rotate(
    id: string,
    successor: NewApiKey,
    endsAtMs: number,
    recent?: readonly RecentKeys[],
    audit?: AuditOf<NewApiKey>,
    maxActive?: number,
  ): Promise<'rotated' | 'inactive' | 'too_many_recent'>
  /** Changes the settings of a user's key. Null for a key that is unknown, deactivated, expired or replaced. Atomic. */
  update(
    userId: string,
    id: string,
    changes: Partial<KeySettings>,
    nowMs: number,
    audit?: AuditOf,
  ): Promise<ApiKey | null>
  /** Deactivates a user's key for good. Returns the key and whether it was active; null for an unknown key. Atomic. */
  deactivate(
    userId: string,
    id: string,
    atMs: number,
    audit?: AuditOf<ApiKey>,
  ): Promise<{ key: ApiKey; hasChanged: boolean } | null>
  /** Deletes keys that were deactivated or have expired before this time; returns how many. */
  sweep(endedBeforeMs: number): Promise<number>
  /**
   * Adds to the counts of the keys, which must be in the same order in all processes to prevent deadlocks. Returns the
   * rows of keys that still exist. Atomic.
   */
  countRejected(rejected: readonly RejectedRequests[]): Promise<RejectedRequests[]>
}

export interface Keys extends KeyReads, KeyWrites {}

/** A user's account at an identity provider; a user may have several. */
export interface Identity extends IdentityKey {
  /** The login or email address at the provider. */
  account: string
  /** The verified address at the last sign-in. */
  email: string
  createdAtMs: number
}

/** An identity that an operator has deleted. */
export type DeletedIdentity = Pick<Identity, 'issuer' | 'account'>

export interface Identities {
  /**
   * Signs in, adds an identity or creates a user, as `decideSignIn` decides, and stores the claim. The first identity of
   * an account ends its sessions: they were opened by links, whose holder may not own the address. Atomic.
   */
  signIn(
    claim: IdentityClaim & { verifiedEmail: string },
    newUser: Omit<NewUser, 'email'>,
  ): Promise<{ decision: SignInDecision; user: User | null }>
  /** The identities of a user, oldest first. */
  list(userId: string): Promise<Identity[]>
  /** Identities deleted by `remove`. Another identity of the same issuer cannot join the account. */
  listRemoved(userId: string): Promise<IdentityKey[]>
  /** Deletes an identity of the user. `last` for the only identity, which cannot be deleted. Atomic. */
  remove(userId: string, key: IdentityKey): Promise<'removed' | 'unknown' | 'last'>
  /**
   * Deletes all identities, including removed identities, and ends all sessions of the user. Returns the deleted
   * identities. Atomic.
   */
  disconnect(userId: string, audit?: AuditOf<DeletedIdentity[]>): Promise<DeletedIdentity[]>
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
  /** Stores a session under the SHA-256 of its token, and ends the session with the hash `replaces`. Atomic. */
  open(session: Session & { tokenHash: string }, replaces: string | null): Promise<void>
  /** The session with this hash and its user; null when it is unknown or expired, or its user is suspended. */
  find(tokenHash: string, nowMs: number): Promise<{ session: Session; user: User } | null>
  touch(id: string, times: Pick<Session, 'lastSeenAtMs' | 'expiresAtMs'>): Promise<void>
  /** The unexpired sessions of a user, most recently used first. */
  list(userId: string, nowMs: number): Promise<Session[]>
  /** Ends a session of the user. False when no session of the user has this id. */
  revoke(userId: string, id: string): Promise<boolean>
  /** Ends all sessions of the user except one; returns how many. */
  revokeOthers(userId: string, keptId: string): Promise<number>
  /** Deletes expired sessions; returns how many. */
  sweep(nowMs: number): Promise<number>
}
