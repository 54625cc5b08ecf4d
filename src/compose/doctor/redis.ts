import type { Config } from '../../config.ts'
import { type Finding, skipped } from '../../service/operation/doctor.ts'
import { availableFinding, unavailableFinding } from '../../service/operation/doctor/redis.ts'
import { connectRedis } from '../../store/redis/connection.ts'

export async function checkRedis({ redisUrl }: Config): Promise<Finding> {
  if (redisUrl === null) return skipped('not configured')
  using connection = await connectRedis({ url: redisUrl })
  const status = connection.status()
  if (!status.isUp) return unavailableFinding(status.reason)
  // The user may not have the right to run INFO.
  return availableFinding(await connection.send('INFO', []).then(String, () => ''))
}
