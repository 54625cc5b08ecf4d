import { and, eq, inArray, lt, max, sql } from 'drizzle-orm'

import type { IdentityKey } from '../../core/identity.ts'
import { monthOf } from '../../core/period.ts'
import { hashToken } from '../../core/token.ts'
import { departedUsage, identities, monthlyUsage, type Drizzle } from './schema.ts'

/** Somebody who may have been here before. */
export interface Comer {
  email: string
  /** Null for who did not come by way of a provider. */
  identity: IdentityKey | null
}

const hashOfEmail = (email: string) => hashToken(email)
const hashOfIdentity = ({ issuer, subject }: IdentityKey) => hashToken('identity', issuer, subject)

/** Keeps how much of the month a user who leaves has used, under each sign that they can be known by. */
export function keepDeparted(tx: Drizzle, user: { id: string; email: string }, atMs: number): void {
  const month = monthOf(atMs)
  tx.delete(departedUsage).where(lt(departedUsage.month, month)).run()
  const isMonth = and(eq(monthlyUsage.userId, user.id), eq(monthlyUsage.month, month))
  const used = tx.select({ used: monthlyUsage.used }).from(monthlyUsage).where(isMonth).get()?.used ?? 0
  if (used === 0) return
  const { issuer, subject } = identities
  const known = tx.select({ issuer, subject }).from(identities).where(eq(identities.userId, user.id)).all()
  for (const hash of [hashOfEmail(user.email), ...known.map(hashOfIdentity)]) {
    // The larger and not the sum: who came back and leaves again has the first count in the second.
    tx.insert(departedUsage)
      .values({ hash, month, used })
      .onConflictDoUpdate({
        target: [departedUsage.hash, departedUsage.month],
        set: { used: sql`max(${departedUsage.used}, excluded.used)` },
      })
      .run()
  }
}

/** Lets whoever was here before go on in the month as they left it. What is kept stays: they may leave again. */
export function resumeDeparted(tx: Drizzle, userId: string, { email, identity }: Comer, atMs: number): void {
  const month = monthOf(atMs)
  const hashes = [hashOfEmail(email), ...(identity === null ? [] : [hashOfIdentity(identity)])]
  const isTheirs = and(inArray(departedUsage.hash, hashes), eq(departedUsage.month, month))
  const used = tx
    .select({ used: max(departedUsage.used) })
    .from(departedUsage)
    .where(isTheirs)
    .get()?.used
  if (!used) return
  tx.insert(monthlyUsage)
    .values({ userId, month, used })
    .onConflictDoUpdate({
      target: [monthlyUsage.userId, monthlyUsage.month],
      set: { used: sql`max(${monthlyUsage.used}, excluded.used)` },
    })
    .run()
}
