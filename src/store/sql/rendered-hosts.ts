import { desc, eq, gt, inArray, lt, or } from 'drizzle-orm'

import type { RenderedHosts } from '../../core/fetch/render-history.ts'
import { MAX_RENDERED_HOSTS } from '../../core/limits.ts'
import type { Dialect } from './dialect.ts'
import type { CacheTables } from './cache-tables.ts'

/**
 * The maximum number of hosts that one `put` deletes. More than one host has to go only after the limit was lowered.
 */
const MAX_EXCESS = 25

/** Keeps at most `MAX_RENDERED_HOSTS` hosts; the least recently confirmed are deleted first. */
export function sqlRenderedHosts({ db, tables, sweep }: Dialect<CacheTables>): RenderedHosts {
  const { renderedHosts } = tables
  const { host: name, confirmedAtMs } = renderedHosts

  return {
    list: async () => db.select().from(renderedHosts).orderBy(desc(confirmedAtMs)).limit(MAX_RENDERED_HOSTS),

    async put(host) {
      await db.insert(renderedHosts).values(host).onConflictDoUpdate({ target: name, set: host })
      const byTime = db.select({ name }).from(renderedHosts).orderBy(desc(confirmedAtMs))
      await db.delete(renderedHosts).where(inArray(name, byTime.limit(MAX_EXCESS).offset(MAX_RENDERED_HOSTS)))
    },

    async delete(host) {
      await db.delete(renderedHosts).where(eq(name, host))
    },

    sweep: (confirmedBeforeMs, confirmedAfterMs) =>
      sweep(renderedHosts, or(lt(confirmedAtMs, confirmedBeforeMs), gt(confirmedAtMs, confirmedAfterMs))),
  }
}
