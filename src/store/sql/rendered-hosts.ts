import { desc, eq, gt, inArray, lt, or } from 'drizzle-orm'

import type { RenderedHosts } from '../../core/state-ports.ts'
import { inSteps, STEP_ROWS } from '../postgres/in-steps.ts'
import { renderedHosts, type Drizzle } from '../postgres/schema.ts'

/** Keeps at most `maxHosts` hosts; the least recently confirmed are deleted first. */
export function postgresRenderedHosts(db: Drizzle, maxHosts: number): RenderedHosts {
  const { host: name, confirmedAtMs } = renderedHosts

  return {
    async list() {
      return db.select().from(renderedHosts).orderBy(desc(confirmedAtMs)).limit(maxHosts)
    },

    async put(host) {
      await db.insert(renderedHosts).values(host).onConflictDoUpdate({ target: name, set: host })
      const byTime = db.select({ name }).from(renderedHosts).orderBy(desc(confirmedAtMs))
      await db.delete(renderedHosts).where(inArray(name, byTime.limit(STEP_ROWS).offset(maxHosts)))
    },

    async delete(host) {
      await db.delete(renderedHosts).where(eq(name, host))
    },

    async sweep(confirmedBeforeMs, confirmedAfterMs) {
      const isSwept = or(lt(confirmedAtMs, confirmedBeforeMs), gt(confirmedAtMs, confirmedAfterMs))
      const swept = db.select({ name }).from(renderedHosts).where(isSwept).limit(STEP_ROWS)
      return inSteps(() => db.delete(renderedHosts).where(inArray(name, swept)).returning({ name }))
    },
  }
}
