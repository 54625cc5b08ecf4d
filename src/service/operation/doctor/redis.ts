import { failed, type Finding, ok, warning } from '../doctor.ts'
import remedies from './remedies.json'

/**
 * The policies with which a full Redis evicts the least recently used results. Other policies reject writes, or evict
 * the counts of the current minute first, because these expire soonest.
 */
const GOOD_POLICIES: readonly string[] = ['allkeys-lru', 'allkeys-lfu', 'volatile-lru', 'volatile-lfu']

/** Remedies by the start of the reason: the code of an error reply, or '' for any other reason. */
const REMEDIES = [
  ['OOM', 'Set its maxmemory-policy to volatile-lru, or raise maxmemory.'],
  ['READONLY', 'Set URLMETA_REDIS_URL to the primary server.'],
  [
    '',
    'Compare URLMETA_REDIS_URL with the address, password and certificate of the server, and try it from this machine with redis-cli.',
  ],
] as const

/** @param reason why Redis cannot be used */
export function unavailableFinding(reason: string): Finding {
  const [, remedy] = REMEDIES.find(([start]) => reason.startsWith(start))!
  return failed(reason, remedy)
}

/** @param info the response of INFO; '' if the user may not run INFO */
export function availableFinding(info: string): Finding {
  const { redis_version: version = '?', maxmemory = '0', maxmemory_policy: policy = '' } = fieldsOf(info)
  if (Number(maxmemory) > 0 && !GOOD_POLICIES.includes(policy)) {
    return warning(`its maxmemory-policy is ${policy}`, remedies.redis_policy)
  }
  return ok(`version ${version} reads and writes`)
}

/** INFO has a line `name:value` for each field. */
function fieldsOf(info: string): Record<string, string | undefined> {
  return Object.fromEntries(info.split('\r\n').map((line) => line.split(':', 2)))
}
