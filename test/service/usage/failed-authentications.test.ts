import { describe, expect, test } from 'bun:test'

import { parseAddress } from '../../../src/core/net/address.ts'
import { createFailedAuthentications, FAILURES_PER_MINUTE } from '../../../src/service/usage/failed-authentications.ts'
import { memoryRateLimiter } from '../../../src/store/memory/rate-limiter.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

/** The limit, used up by one client at 18 seconds past noon. */
async function limitReachedBy(address: string) {
  const clock = { nowMs: NOON + 18_000 }
  const failures = createFailedAuthentications({ limiter: memoryRateLimiter(), now: () => clock.nowMs })
  const isLimited = (client: string) =>
    failures.count(parseAddress(client)).then(
      () => false,
      () => true,
    )
  for (let i = 0; i < FAILURES_PER_MINUTE; i++) expect(await isLimited(address)).toBe(false)
  return { clock, failures, isLimited }
}

describe('the limit on failed authentications', () => {
  test('one more is limited, until the minute ends', async () => {
    const { clock, failures } = await limitReachedBy('198.51.100.7')
    await expect(failures.count(parseAddress('198.51.100.7'))).rejects.toMatchObject({
      kind: 'authentication_limit',
      retryAfterSeconds: 42,
      message:
        'Rate limit exceeded: 1000 failed authentications per minute allowed per client address. Retry in 42 seconds.',
    })
    clock.nowMs = NOON + 60_000
    await failures.count(parseAddress('198.51.100.7'))
  })

  test.each([
    ['another IPv4 address', '198.51.100.7', '198.51.100.8', false],
    ['the same IPv4 address, mapped into IPv6', '198.51.100.7', '::ffff:198.51.100.7', true],
    ['another IPv6 address of the /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['an IPv6 address of the next /64', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['an unknown address', '198.51.100.7', '', false],
    ['an unknown address after another unknown one', '', '', true],
  ])('%s', async (_, first, second, expected) => {
    const { isLimited } = await limitReachedBy(first)
    expect(await isLimited(second)).toBe(expected)
  })
})
