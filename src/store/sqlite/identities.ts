import { and, asc, eq } from 'drizzle-orm'

import type { Identities, User } from '../../core/account-ports.ts'
import { decideSignIn, type IdentityKey, type KnownAccount } from '../../core/identity.ts'
import { identities, removedIdentities, sessions, users, type Drizzle } from '../sql/tables.ts'
import { findByEmail, insertUser } from './users.ts'

export function sqliteIdentities(db: Drizzle): Identities {
  return {
    async signIn({ issuer, subject, verifiedEmail: email, account, name }, newUser) {
      return db.transaction(
        (tx) => {
          const known = tx
            .select({ userId: identities.userId })
            .from(identities)
            .where(isKey({ issuer, subject }))
            .get()
          const bySubject = known ? accountOf(tx, findById(tx, known.userId)) : null
          const byEmail = accountOf(tx, findByEmail(tx, email))
          const decision = decideSignIn(
            { issuer, subject, verifiedEmail: email, account, name },
            { bySubject, byEmail },
          )
          if (decision.verdict === 'refused') return { decision, user: null }
          if (decision.verdict === 'joined' && byEmail?.identities.length === 0) {
            tx.delete(sessions).where(eq(sessions.userId, decision.userId)).run()
          }

          const { userId } =
            decision.verdict === 'new' ? { userId: insertUser(tx, { ...newUser, email }).id } : decision
          const moved = decision.verdict === 'known' && decision.newEmail !== null ? { email: decision.newEmail } : {}
          const user = tx
            .update(users)
            .set({ ...moved, name })
            .where(eq(users.id, userId))
            .returning()
            .get()
          tx.insert(identities)
            .values({ issuer, subject, userId, email, account, createdAtMs: newUser.createdAtMs })
            .onConflictDoUpdate({ target: [identities.issuer, identities.subject], set: { email, account } })
            .run()
          return { decision, user }
        },
        { behavior: 'immediate' },
      )
    },

    async list(userId) {
      const { issuer, subject, account, email, createdAtMs } = identities
      return db
        .select({ issuer, subject, account, email, createdAtMs })
        .from(identities)
        .where(eq(identities.userId, userId))
        .orderBy(asc(createdAtMs))
        .all()
    },

    async listRemoved(userId) {
      return removedOf(db, userId)
    },

    async remove(userId, key) {
      return db.transaction(
        (tx) => {
          const { issuer, subject } = identities
          const known = tx.select({ issuer, subject }).from(identities).where(eq(identities.userId, userId)).all()
          if (!known.some((one) => one.issuer === key.issuer && one.subject === key.subject)) return 'unknown'
          if (known.length === 1) return 'last'
          tx.delete(identities).where(isKey(key)).run()
          tx.insert(removedIdentities)
            .values({ userId, issuer: key.issuer, subject: key.subject })
            .onConflictDoNothing()
            .run()
          return 'removed'
        },
        { behavior: 'immediate' },
      )
    },

    async disconnect(userId) {
      return db.transaction(
        (tx) => {
          tx.delete(sessions).where(eq(sessions.userId, userId)).run()
          tx.delete(removedIdentities).where(eq(removedIdentities.userId, userId)).run()
          const { issuer, account } = identities
          return tx.delete(identities).where(eq(identities.userId, userId)).returning({ issuer, account }).all()
        },
        { behavior: 'immediate' },
      )
    },
  }
}

function isKey({ issuer, subject }: IdentityKey) {
  return and(eq(identities.issuer, issuer), eq(identities.subject, subject))
}

function findById(tx: Drizzle, id: string): User | null {
  return tx.select().from(users).where(eq(users.id, id)).get() ?? null
}

function accountOf(tx: Drizzle, user: User | null): KnownAccount | null {
  if (!user) return null
  const { issuer, subject, email } = identities
  return {
    userId: user.id,
    email: user.email,
    isSuspended: user.suspendedAtMs !== null,
    identities: tx.select({ issuer, subject, email }).from(identities).where(eq(identities.userId, user.id)).all(),
    removed: removedOf(tx, user.id),
  }
}

function removedOf(tx: Drizzle, userId: string): IdentityKey[] {
  const { issuer, subject } = removedIdentities
  return tx.select({ issuer, subject }).from(removedIdentities).where(eq(removedIdentities.userId, userId)).all()
}
