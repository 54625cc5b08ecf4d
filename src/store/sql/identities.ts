import { and, asc, eq } from 'drizzle-orm'

import type { Identities, User } from '../../core/account-ports.ts'
import { decideSignIn, type IdentityKey, type KnownAccount } from '../../core/identity.ts'
import { identities, removedIdentities, sessions, users, type Drizzle } from '../postgres/schema.ts'
import { serializable } from '../postgres/transaction.ts'
import { findByEmail, findById, insertUser, searchTextOf, USER_COLUMNS } from './users.ts'

export function postgresIdentities(db: Drizzle): Identities {
  return {
    signIn({ issuer, subject, verifiedEmail: email, account, name }, newUser) {
      return serializable(db, async (tx) => {
        const [known] = await tx
          .select({ userId: identities.userId })
          .from(identities)
          .where(isKey({ issuer, subject }))
        const bySubject = known ? await accountOf(tx, await findById(tx, known.userId)) : null
        const byEmail = await accountOf(tx, await findByEmail(tx, email))
        const decision = decideSignIn({ issuer, subject, verifiedEmail: email, account, name }, { bySubject, byEmail })
        if (decision.verdict === 'refused') return { decision, user: null }
        if (decision.verdict === 'joined' && byEmail?.identities.length === 0) {
          await tx.delete(sessions).where(eq(sessions.userId, decision.userId))
        }

        const before =
          decision.verdict === 'new'
            ? await insertUser(tx, { ...newUser, email }, name)
            : (await findById(tx, decision.userId))!
        const newEmail = decision.verdict === 'known' ? decision.newEmail : null
        const current = { email: newEmail ?? before.email, name }
        const [user] = await tx
          .update(users)
          .set({ ...current, searchText: searchTextOf(current.email, name) })
          .where(eq(users.id, before.id))
          .returning(USER_COLUMNS)
        await tx
          .insert(identities)
          .values({ issuer, subject, userId: before.id, email, account, createdAtMs: newUser.createdAtMs })
          .onConflictDoUpdate({ target: [identities.issuer, identities.subject], set: { email, account } })
        return { decision, user: user! }
      })
    },

    async list(userId) {
      const { issuer, subject, account, email, createdAtMs } = identities
      return db
        .select({ issuer, subject, account, email, createdAtMs })
        .from(identities)
        .where(eq(identities.userId, userId))
        .orderBy(asc(createdAtMs))
    },

    listRemoved: (userId) => removedOf(db, userId),

    remove(userId, key) {
      return serializable(db, async (tx) => {
        const { issuer, subject } = identities
        const known = await tx.select({ issuer, subject }).from(identities).where(eq(identities.userId, userId))
        if (!known.some((one) => one.issuer === key.issuer && one.subject === key.subject)) return 'unknown'
        if (known.length === 1) return 'last'
        await tx.delete(identities).where(isKey(key))
        await tx
          .insert(removedIdentities)
          .values({ userId, issuer: key.issuer, subject: key.subject })
          .onConflictDoNothing()
        return 'removed'
      })
    },

    disconnect(userId) {
      return serializable(db, async (tx) => {
        await tx.delete(sessions).where(eq(sessions.userId, userId))
        await tx.delete(removedIdentities).where(eq(removedIdentities.userId, userId))
        const { issuer, account } = identities
        return tx.delete(identities).where(eq(identities.userId, userId)).returning({ issuer, account })
      })
    },
  }
}

function isKey({ issuer, subject }: IdentityKey) {
  return and(eq(identities.issuer, issuer), eq(identities.subject, subject))
}

async function accountOf(tx: Drizzle, user: User | null): Promise<KnownAccount | null> {
  if (!user) return null
  const { issuer, subject, email } = identities
  return {
    userId: user.id,
    email: user.email,
    isSuspended: user.suspendedAtMs !== null,
    identities: await tx.select({ issuer, subject, email }).from(identities).where(eq(identities.userId, user.id)),
    removed: await removedOf(tx, user.id),
  }
}

async function removedOf(tx: Drizzle, userId: string): Promise<IdentityKey[]> {
  const { issuer, subject } = removedIdentities
  return tx.select({ issuer, subject }).from(removedIdentities).where(eq(removedIdentities.userId, userId))
}
