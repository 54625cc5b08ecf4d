import { describe, expect, test } from 'bun:test'

import type { RateLimiter } from '../../src/core/usage/rate-limiter.ts'

const MINUTE = 60_000
const START = 29_919_600 * MINUTE

const k = (limit: number) => ({ key: 'k', limit })
const other = (limit: number) => ({ key: 'other', limit })

/** The contract of every implementation of `RateLimiter`. */
export const rateLimiterContract = (name: string, open: () => RateLimiter) =>
  describe(`RateLimiter: ${name}`, () => {
    test('counts down to zero, then rejects', async () => {
      const limiter = open()
      const resetsAt = START / 1000 + 60
      expect(await limiter.take([k(2)], START)).toEqual({ allowed: true, remaining: 1, resetsAt })
      expect(await limiter.take([k(2)], START + 1)).toEqual({ allowed: true, remaining: 0, resetsAt })
      expect(await limiter.take([k(2)], START + 2)).toEqual({
        allowed: false,
        refusedBy: 'k',
        remaining: 0,
        resetsAt,
      })
    })

    test.each([
      ['one millisecond before the next minute', MINUTE - 1, false],
      ['at the next minute', MINUTE, true],
    ])('after the last one: %s', async (_, laterMs, allowed) => {
      const limiter = open()
      await limiter.take([k(1)], START)
      expect((await limiter.take([k(1)], START + laterMs)).allowed).toBe(allowed)
    })

    test('keys do not share a window', async () => {
      const limiter = open()
      await limiter.take([k(1)], START)
      expect((await limiter.take([other(1)], START)).allowed).toBe(true)
    })

    test('a raised limit applies immediately, and earlier requests count', async () => {
      const limiter = open()
      await limiter.take([k(1)], START)
      expect(await limiter.take([k(3)], START)).toMatchObject({ allowed: true, remaining: 1 })
    })

    test('setting the clock back a minute resets nothing', async () => {
      const limiter = open()
      await limiter.take([k(1)], START)
      expect((await limiter.take([k(1)], START - MINUTE)).allowed).toBe(false)
    })

    describe('several counts in one request', () => {
      test('`remaining` is the smallest of the remainders', async () => {
        const limiter = open()
        await limiter.take([other(5)], START)
        await limiter.take([other(5)], START)
        await limiter.take([other(5)], START)
        expect(await limiter.take([k(3), other(5)], START)).toMatchObject({ allowed: true, remaining: 1 })
        expect(await limiter.take([k(3)], START)).toMatchObject({ allowed: true, remaining: 1 })
      })

      test.each([
        ['first', [k(1), other(9)]],
        ['last', [other(9), k(1)]],
      ])('one at its limit, named %s, rejects, and the others count nothing', async (_, counts) => {
        const limiter = open()
        await limiter.take([k(1)], START)
        expect(await limiter.take(counts, START)).toMatchObject({ allowed: false, refusedBy: 'k', remaining: 0 })
        expect(await limiter.take([other(9)], START)).toMatchObject({ allowed: true, remaining: 8 })
      })

      test('concurrent requests of keys with a shared count get exactly its limit', async () => {
        const limiter = open()
        const bursts = Array.from({ length: 50 }, (_, i) =>
          limiter.take([{ key: `key ${i}`, limit: 3 }, other(7)], START),
        )
        expect((await Promise.all(bursts)).filter(({ allowed }) => allowed)).toHaveLength(7)
      })
    })

    describe('a carried count', () => {
      const remaining = async (limiter: RateLimiter, nowMs = START) => (await limiter.take([other(9)], nowMs)).remaining

      test('is the highest of the sources, and never lowers a count', async () => {
        const limiter = open()
        for (let i = 0; i < 3; i++) await limiter.take([k(9)], START)
        await limiter.take([{ key: 'less', limit: 9 }], START)
        await limiter.raise(['less', 'k', 'unknown'], ['other'], START)
        expect(await remaining(limiter)).toBe(5)
        await limiter.raise(['less'], ['other'], START)
        expect(await remaining(limiter)).toBe(4)
      })

      test('ends with the minute', async () => {
        const limiter = open()
        await limiter.take([k(9)], START)
        await limiter.raise(['k'], ['other'], START + MINUTE)
        expect(await remaining(limiter, START + MINUTE)).toBe(8)
      })
    })

    test('concurrent requests get exactly the limit', async () => {
      const limiter = open()
      const taken = await Promise.all(Array.from({ length: 50 }, () => limiter.take([k(7)], START)))
      expect(taken.filter(({ allowed }) => allowed)).toHaveLength(7)
    })
  })
