import type { Config } from '../../config.ts'
import { failed, type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import { connectRedis } from '../../store/redis/connection.ts'

/**
 * The policies with which a full Redis evicts the least recently used results. The others reject writes, or evict the
 * counts of the current minute first, because these expire soonest.
 */
const GOOD_POLICIES: readonly string[] = ['allkeys-lru', 'allkeys-lfu', 'volatile-lru', 'volatile-lfu']

/** By the start of the reason: the code of an error reply, or anything else. */
const REMEDIES = [
  ['OOM', 'Set its maxmemory-policy to volatile-lru, or raise maxmemory.'],
  ['READONLY', 'Set URLMETA_REDIS_URL to the primary server.'],
  [
    '',
    'Compare URLMETA_REDIS_URL with the address, password and certificate of the server, and try it from this machine with redis-cli.',
  ],
] as const

export async function checkRedis({ redisUrl }: Config): Promise<Finding> {
  if (redisUrl === null) return skipped('not configured')
  using connection = await connectRedis({ url: redisUrl })
  const status = connection.status()
  if (!status.isUp) {
    const [, remedy] = REMEDIES.find(([start]) => status.reason.startsWith(start))!
    return failed(status.reason, remedy)
  }
  // The user may not have the right to run INFO.
  const info = await connection.send('INFO', []).then(String, () => '')
  const { redis_version: version = '?', maxmemory = '0', maxmemory_policy: policy = '' } = fieldsOf(info)
  if (Number(maxmemory) > 0 && !GOOD_POLICIES.includes(policy)) {
    return warning(
      `its maxmemory-policy is ${policy}`,
      'Set it to volatile-lru or allkeys-lru, which evict the least recently used results when the memory is full.',
    )
  }
  return ok(`version ${version} reads and writes`)
}

/** The lines `name:value` of INFO. */
function fieldsOf(info: string): Record<string, string | undefined> {
  return Object.fromEntries(info.split('\r\n').map((line) => line.split(':', 2)))
}
