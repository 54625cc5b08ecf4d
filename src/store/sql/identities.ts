import { and, asc, eq, getTableColumns } from 'drizzle-orm'

import type { Identities, User } from '../../core/accounts/ports.ts'
import { decideSignIn, type IdentityKey, type KnownAccount } from '../../core/accounts/identity.ts'
import { recordAudit } from './audit-log.ts'
import { type Dialect, type Drizzle, run, type Steps } from './dialect.ts'
import type { AccountTables } from './tables.ts'
import { searchTextOf, userStatements } from './users.ts'

export function sqlIdentities({ db, tables, atomically }: Dialect<AccountTables>): Identities {
  const { identities, removedIdentities, sessions, users } = tables
  const { columns, byEmail, byId, insert } = userStatements(tables)
  const { userId: _, ...identityColumns } = getTableColumns(identities)

  const isKey = ({ issuer, subject }: IdentityKey) =>
    and(eq(identities.issuer, issuer), eq(identities.subject, subject))

  const identitiesOf = (tx: Drizzle, userId: string) =>
    tx.select(identityColumns).from(identities).where(eq(identities.userId, userId))

  function removedOf(tx: Drizzle, userId: string) {
    const { issuer, subject } = removedIdentities
    return tx.select({ issuer, subject }).from(removedIdentities).where(eq(removedIdentities.userId, userId))
  }

  function* accountOf(tx: Drizzle, user: User | undefined): Steps<KnownAccount | null> {
    if (!user) return null
    return {
      userId: user.id,
      email: user.email,
      isSuspended: user.suspendedAtMs !== null,
      identities: yield* run(identitiesOf(tx, user.id)),
      removed: yield* run(removedOf(tx, user.id)),
    }
  }

  return {
    signIn(claim, newUser) {
      const { issuer, subject, verifiedEmail: email, account, name } = claim
      return atomically(function* (tx) {
        const [known] = yield* run(tx.select({ userId: identities.userId }).from(identities).where(isKey(claim)))
        const bySubject = known ? yield* accountOf(tx, (yield* run(byId(tx, known.userId)))[0]) : null
        const withEmail = yield* accountOf(tx, (yield* run(byEmail(tx, email)))[0])
        const decision = decideSignIn(claim, { bySubject, byEmail: withEmail })
        if (decision.verdict === 'refused') return { decision, user: null }
        if (decision.verdict === 'joined' && withEmail?.identities.length === 0) {
          yield* run(tx.delete(sessions).where(eq(sessions.userId, decision.userId)))
        }

        const [before] = yield* run(
          decision.verdict === 'new' ? insert(tx, { ...newUser, email }, name) : byId(tx, decision.userId),
        )
        const { id: userId } = before!
        const newEmail = decision.verdict === 'known' ? decision.newEmail : null
        const current = { email: newEmail ?? before!.email, name }
        const update = tx
          .update(users)
          .set({ ...current, searchText: searchTextOf(current.email, name) })
          .where(eq(users.id, userId))
        const [user] = yield* run(update.returning(columns))
        yield* run(
          tx
            .insert(identities)
            .values({ issuer, subject, userId, email, account, createdAtMs: newUser.createdAtMs })
            .onConflictDoUpdate({ target: [identities.issuer, identities.subject], set: { email, account } }),
        )
        return { decision, user: user! }
      })
    },

    list: async (userId) => identitiesOf(db, userId).orderBy(asc(identities.createdAtMs)),

    listRemoved: async (userId) => removedOf(db, userId),

    remove(userId, key) {
      return atomically(function* (tx) {
        const known = yield* run(identitiesOf(tx, userId))
        if (!known.some((one) => one.issuer === key.issuer && one.subject === key.subject)) return 'unknown'
        if (known.length === 1) return 'last'
        yield* run(tx.delete(identities).where(isKey(key)))
        const removed = { userId, issuer: key.issuer, subject: key.subject }
        yield* run(tx.insert(removedIdentities).values(removed).onConflictDoNothing())
        return 'removed'
      })
    },

    disconnect(userId, audit) {
      return atomically(function* (tx) {
        yield* run(tx.delete(sessions).where(eq(sessions.userId, userId)))
        yield* run(tx.delete(removedIdentities).where(eq(removedIdentities.userId, userId)))
        const { issuer, account } = identities
        const deletion = tx.delete(identities).where(eq(identities.userId, userId))
        const deleted = yield* run(deletion.returning({ issuer, account }))
        if (deleted.length > 0) yield* recordAudit(tx, tables, deleted, audit)
        return deleted
      })
    },
  }
}
