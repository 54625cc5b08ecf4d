import { asc, eq } from 'drizzle-orm'

import type { Users } from '../../core/ports.ts'
import { users, type Drizzle } from './schema.ts'

export function sqliteUsers(db: Drizzle): Users {
  return {
    async ensure(user) {
      return db.transaction(
        (tx) => {
          tx.insert(users).values(user).onConflictDoNothing({ target: users.email }).run()
          return tx.select().from(users).where(eq(users.email, user.email)).get()!
        },
        { behavior: 'immediate' },
      )
    },

    async list() {
      return db.select().from(users).orderBy(asc(users.createdAtMs), asc(users.id)).all()
    },

    async setPlan(email, plan) {
      return db.update(users).set({ plan }).where(eq(users.email, email)).returning().get() ?? null
    },
  }
}
