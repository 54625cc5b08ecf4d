import { expect, test } from 'bun:test'

import { type AlertThreshold, reachedThresholds, webhookSignature } from '../../../src/core/usage/alerts.ts'

test.each([
  ['nothing', 0, 10, []],
  ['just below 80 %', 7, 10, []],
  ['80 %', 8, 10, [80]],
  ['just below 100 %', 9, 10, [80]],
  ['100 %', 10, 10, [80, 100]],
  ['more than the limit, after a downgrade', 50, 10, [80, 100]],
  ['a limit of one', 1, 1, [80, 100]],
  ['80 % of a limit that is not divisible', 3, 4, []],
  ['a disabled plan', 0, 0, []],
])('%s', (_, used, limit, expected) => expect(reachedThresholds(used, limit)).toEqual(expected as AlertThreshold[]))

test('the signature equals the one of `openssl dgst -sha256 -hmac` over time, dot and body', () => {
  // printf '%s' '1700000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test
  expect(webhookSignature('whsec_test', 1_700_000_000_999, '{"a":1}')).toBe(
    't=1700000000,v1=38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789',
  )
})
