import { describe, expect, test } from 'bun:test'

import type { PlaygroundResults } from '../../src/core/saved-results/ports.ts'

const result = (id: string, userId: string, of: { json?: string; expiresAtMs?: number } = {}) => ({
  id,
  userId,
  json: `"${id}"`,
  expiresAtMs: 1_000,
  ...of,
})

/** Tests of every adapter of `PlaygroundResults`. */
export const playgroundResultsContract = (name: string, open: () => PlaygroundResults) =>
  describe(`PlaygroundResults: ${name}`, () => {
    test('a result is returned byte for byte to its user only', async () => {
      const results = open()
      const json = '{"title":"Ünïcødé \\u2028 ☕"}'
      await results.put(result('a', 'jo', { json }))
      expect(await results.get('jo', 'a', 0)).toBe(json)
      expect(await results.get('ann', 'a', 0)).toBeNull()
      expect(await results.get('jo', 'b', 0)).toBeNull()
    })

    test('a result is available until it expires', async () => {
      const results = open()
      await results.put(result('a', 'jo', { expiresAtMs: 1_000 }))
      expect(await results.get('jo', 'a', 999)).toBe('"a"')
      expect(await results.get('jo', 'a', 1_000)).toBeNull()
    })

    test('sweep deletes only expired results', async () => {
      const results = open()
      for (const expiresAtMs of [999, 1_000, 1_001]) {
        await results.put(result(`${expiresAtMs}`, 'jo', { expiresAtMs }))
      }
      expect(await results.sweep(1_000)).toBe(2)
      expect(await results.sweep(1_000)).toBe(0)
      expect(await results.get('jo', '1001', 0)).not.toBeNull()
      // Deleted, not only hidden by the current time.
      expect(await results.get('jo', '1000', 0)).toBeNull()
    })

    test('the oldest results of a user are replaced by new ones; those of others stay', async () => {
      const results = open()
      await results.put(result('of ann', 'ann'))
      for (let i = 0; i < 100; i++) await results.put(result(`${i}`, 'jo'))
      const kept = await Promise.all(Array.from({ length: 100 }, (_, i) => results.get('jo', `${i}`, 0)))
      expect(kept.filter((json) => json !== null)).toHaveLength(20)
      expect(kept.at(-1)).toBe('"99"')
      expect(await results.get('ann', 'of ann', 0)).not.toBeNull()
    })

    test('a result that is put again is replaced, counts once, and becomes the newest', async () => {
      const results = open()
      for (let i = 0; i < 20; i++) await results.put(result(`${i}`, 'jo'))
      for (let i = 0; i < 30; i++) await results.put(result('0', 'jo', { json: `"edit ${i}"`, expiresAtMs: 2_000 }))
      expect(await results.get('jo', '0', 1_500)).toBe('"edit 29"')
      expect(await results.get('jo', '1', 0)).toBe('"1"')
      await results.put(result('new', 'jo'))
      expect(await results.get('jo', '1', 0)).toBeNull()
      expect(await results.get('jo', '0', 0)).not.toBeNull()
    })

    test('a result that is too large is not stored, and deletes no other', async () => {
      const results = open()
      await results.put(result('small', 'jo'))
      await results.put(result('large', 'jo', { json: 'x'.repeat(1024 * 1024) }))
      expect(await results.get('jo', 'large', 0)).toBeNull()
      expect(await results.get('jo', 'small', 0)).not.toBeNull()
    })
  })
