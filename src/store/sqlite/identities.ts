import { and, asc, eq } from 'drizzle-orm'

import type { Identities, User } from '../../core/account-ports.ts'
import { decideSignIn, type KnownAccount } from '../../core/identity.ts'
import { resumeDeparted } from './departed.ts'
import { identities, users, type Drizzle } from './schema.ts'
import { findByEmail, insertUser } from './users.ts'

export function sqliteIdentities(db: Drizzle): Identities {
  return {
    async signIn({ provider, subject, verifiedEmail: email, account, name }, newUser) {
      return db.transaction(
        (tx) => {
          const known = tx
            .select({ userId: identities.userId })
            .from(identities)
            .where(and(eq(identities.provider, provider), eq(identities.subject, subject)))
            .get()
          const decision = decideSignIn(
            { provider, subject, verifiedEmail: email, account, name },
            {
              bySubject: known ? accountOf(tx, findById(tx, known.userId)) : null,
              byEmail: accountOf(tx, findByEmail(tx, email)),
            },
          )
          if (decision.verdict === 'refused') return { decision, user: null }

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
            .values({ provider, subject, userId, email, account, createdAtMs: newUser.createdAtMs })
            .onConflictDoUpdate({ target: [identities.provider, identities.subject], set: { email, account } })
            .run()
          const comer = { email: user.email, identity: { provider, subject } }
          resumeDeparted(tx, user.id, comer, newUser.createdAtMs)
          return { decision, user }
        },
        { behavior: 'immediate' },
      )
    },

    async list(userId) {
      const { provider, subject, account, email, createdAtMs } = identities
      return db
        .select({ provider, subject, account, email, createdAtMs })
        .from(identities)
        .where(eq(identities.userId, userId))
        .orderBy(asc(createdAtMs))
        .all()
    },
  }
}

function findById(tx: Drizzle, id: string): User | null {
  return tx.select().from(users).where(eq(users.id, id)).get() ?? null
}

function accountOf(tx: Drizzle, user: User | null): KnownAccount | null {
  if (!user) return null
  const { provider, subject, email } = identities
  return {
    userId: user.id,
    email: user.email,
    isSuspended: user.suspendedAtMs !== null,
    identities: tx.select({ provider, subject, email }).from(identities).where(eq(identities.userId, user.id)).all(),
  }
}
