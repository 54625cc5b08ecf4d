import { expect, test } from 'bun:test'

import { availableFinding, unavailableFinding } from '../../../../src/service/operation/doctor/redis.ts'
import { expectFinding } from './expect-finding.ts'

const infoOf = (maxmemory: number, policy: string) =>
  `# Server\r\nredis_version:7.0.15\r\n\r\n# Memory\r\nmaxmemory:${maxmemory}\r\nmaxmemory_policy:${policy}\r\n`

test.each([
  ['without a limit of memory', infoOf(0, 'noeviction'), 'ok', 'version 7.0.15 reads and writes'],
  ['that rejects writes when it is full', infoOf(1, 'noeviction'), 'warning', 'its maxmemory-policy is noeviction'],
  ['that evicts what expires first', infoOf(1, 'volatile-ttl'), 'warning', 'its maxmemory-policy is volatile-ttl'],
  ['that evicts any key', infoOf(1, 'allkeys-random'), 'warning', 'its maxmemory-policy is allkeys-random'],
  ['that evicts the least recently used', infoOf(1, 'allkeys-lru'), 'ok', 'version 7.0.15 reads and writes'],
  ['that evicts the least often used', infoOf(1, 'volatile-lfu'), 'ok', 'version 7.0.15 reads and writes'],
  ['that evicts the least recently used result', infoOf(1, 'volatile-lru'), 'ok', 'version 7.0.15 reads and writes'],
  ['that evicts the least often used key', infoOf(1, 'allkeys-lfu'), 'ok', 'version 7.0.15 reads and writes'],
  ['whose user may not run INFO', '', 'ok', 'version ? reads and writes'],
] as const)('a Redis %s', (_, info, status, detail) => expectFinding(availableFinding(info), status, detail))

test.each([
  ['OOM command not allowed', 'raise maxmemory'],
  ["READONLY You can't write against a read only replica.", 'primary server'],
  ['no connection, or a wrong password or certificate', 'redis-cli'],
])('a Redis that is unavailable: %s', (reason, remedy) =>
  expect(unavailableFinding(reason)).toEqual({
    status: 'failed',
    detail: reason,
    remedy: expect.stringContaining(remedy),
  }),
)
