import type { Config } from '../config.ts'
import { AppError } from '../core/errors.ts'
import type { ResultCache } from '../core/fetch/result-cache.ts'
import { connectRedis } from '../store/redis/connection.ts'
import { redisResultCache } from '../store/redis/result-cache.ts'
import { openStores } from './stores.ts'

/** Can be opened while a server runs. @throws AppError if the database or Redis cannot be used */
export async function openResultCache(config: Config): Promise<{ results: ResultCache } & AsyncDisposable> {
  const { redisUrl, cache } = config
  if (redisUrl === null) return await openStores(config)
  const connection = await connectRedis({ url: redisUrl })
  const status = connection.status()
  if (!status.isUp) {
    connection[Symbol.dispose]()
    throw new AppError('internal', `Cannot use Redis (URLMETA_REDIS_URL): ${status.reason}`)
  }
  return {
    results: redisResultCache(connection, { ttlMs: cache.ttlMs, maxResults: cache.maxEntries }),
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  }
}
