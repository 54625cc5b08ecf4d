import { expect, test } from 'bun:test'

import { CLOCK_TOLERANCE_MS, isFresh } from '../../../src/core/fetch/freshness.ts'

const NOW = 1_700_000_000_000
const TTL = 60_000

test.each([
  ['stored now', NOW, true],
  ['just before it expires', NOW - TTL + 1, true],
  ['just after it expires', NOW - TTL, false],
  ['stored before a correction of the clock', NOW + CLOCK_TOLERANCE_MS, true],
  ['stored while the clock was ahead', NOW + CLOCK_TOLERANCE_MS + 1, false],
])('a result %s', (_, storedAtMs, expected) => expect(isFresh(storedAtMs, NOW, TTL)).toBe(expected))
