import { desc, eq, gt, inArray, lt, or } from 'drizzle-orm'

import type { RenderedHosts } from '../../core/state-ports.ts'
import { renderedHosts } from './cache-schema.ts'
import { inSteps, STEP_ROWS } from './in-steps.ts'
import type { Drizzle } from '../sql/tables.ts'

/** Keeps at most `maxHosts` hosts; the least recently confirmed are deleted first. */
export function sqliteRenderedHosts(db: Drizzle, maxHosts: number): RenderedHosts {
  const { host: name, confirmedAtMs } = renderedHosts
  const byTime = db.select({ name }).from(renderedHosts).orderBy(desc(confirmedAtMs))

  return {
    async list() {
      return db.select().from(renderedHosts).orderBy(desc(confirmedAtMs)).limit(maxHosts).all()
    },

    async put(host) {
      db.transaction(
        (tx) => {
          tx.insert(renderedHosts).values(host).onConflictDoUpdate({ target: name, set: host }).run()
          const excess = byTime.limit(STEP_ROWS).offset(maxHosts)
          tx.delete(renderedHosts).where(inArray(name, excess)).run()
        },
        { behavior: 'immediate' },
      )
    },

    async delete(host) {
      db.delete(renderedHosts).where(eq(name, host)).run()
    },

    async sweep(confirmedBeforeMs, confirmedAfterMs) {
      const isSwept = or(lt(confirmedAtMs, confirmedBeforeMs), gt(confirmedAtMs, confirmedAfterMs))
      const swept = db.select({ name }).from(renderedHosts).where(isSwept).limit(STEP_ROWS)
      return inSteps(() => db.delete(renderedHosts).where(inArray(name, swept)).returning({ name }).all().length)
    },
  }
}
