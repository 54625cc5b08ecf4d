import { describe, expect, test } from 'bun:test'

import { endOf, endReason } from '../../../src/core/accounts/key-end.ts'

const NOON = Date.UTC(2026, 10, 28, 12)
const START = Date.UTC(2026, 10, 28)
const MIDNIGHT = Date.UTC(2026, 10, 29)
const WORKING = { expiresAtMs: null, deactivatedAtMs: null, replacedById: null, deletedAtMs: null }

describe('a key', () => {
  test.each<[name: string, of: Partial<Parameters<typeof endOf>[0]>, reason: string | null]>([
    ['without an expiry works', {}, null],
    ['works a millisecond before its expiry', { expiresAtMs: NOON + 1 }, null],
    ['works during its overlap', { expiresAtMs: NOON + 1, replacedById: 'k2' }, null],
    ['has expired', { expiresAtMs: NOON }, 'key_expired 2026-11-28'],
    ['was rotated, and its overlap has ended', { expiresAtMs: NOON, replacedById: 'k2' }, 'key_rotated 2026-11-28'],
    ['expired, and was rotated later', { expiresAtMs: START, replacedById: 'k2' }, 'key_expired 2026-11-27'],
    ['expired, and was deactivated later', { expiresAtMs: START, deactivatedAtMs: NOON }, 'key_expired 2026-11-27'],
    [
      'was deactivated before its expiry',
      { expiresAtMs: NOON, deactivatedAtMs: NOON - 1 },
      'key_deactivated 2026-11-28',
    ],
    [
      'was deactivated, and was rotated later, which ends it at the same time',
      { expiresAtMs: START + 1, deactivatedAtMs: START + 1, replacedById: 'k2' },
      'key_deactivated 2026-11-28',
    ],
    ['was deactivated', { deactivatedAtMs: NOON }, 'key_deactivated 2026-11-28'],
    ['was deactivated by a server whose clock is ahead', { deactivatedAtMs: MIDNIGHT }, 'key_deactivated 2026-11-28'],
    ['was rotated and deactivated', { deactivatedAtMs: NOON, replacedById: 'k2' }, 'key_deactivated 2026-11-28'],
    ['was deleted after its expiry', { expiresAtMs: NOON - 1, deletedAtMs: NOON }, 'key_deleted 2026-11-28'],
  ])('%s', (_, of, reason) => {
    const ended = endOf({ ...WORKING, ...of }, NOON)
    expect(ended && endReason(ended)).toBe(reason)
  })

  test('that expires at midnight has the day before as its last day', () => {
    expect(endReason({ end: 'expired', endedAtMs: MIDNIGHT })).toBe('key_expired 2026-11-28')
  })
})
