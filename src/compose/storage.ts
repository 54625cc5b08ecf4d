import type { FixedConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { warnIfReadable } from './data/data-dir.ts'
import { openSecret } from './data/secret.ts'
import { openSharedState } from './shared-state.ts'
import { openStores } from './stores.ts'
import { owning } from './owning.ts'

/** The stores in the database, in Redis or in memory, and the secret that signs forms and links. */
export type Storage = Awaited<ReturnType<typeof openStorage>>

/** @throws AppError if the data directory or the database cannot be used, or if another server uses it */
export async function openStorage(config: FixedConfig, log: Log, redisDeadlineMs?: number) {
  await using stack = new AsyncDisposableStack()
  const stores = stack.use(await openStores(config, log))
  const { results: cache, ...shared } = stack.use(await openSharedState(config, stores.results, log, redisDeadlineMs))
  if (stores.isShared && config.secret === null) {
    log.warn({}, 'URLMETA_SECRET is not set: other processes reject forms and links of this one')
  }
  warnIfReadable(config, log)
  const secret = openSecret(config)
  return owning(stack, { ...shared, stores, cache, secret })
}
