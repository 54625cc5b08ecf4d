import { describe, expect, test } from 'bun:test'

import type { ResultCache } from '../../src/core/fetch/result-cache.ts'
import type { Open } from './open.ts'

const at = (storedAtMs: number) => ({ json: `{"stored":${storedAtMs}}`, storedAtMs })

/** Creates a cache for at most `maxResults`. */
export type OpenResults = (maxResults: number) => ReturnType<Open<{ results: ResultCache }>>

/** The contract of every implementation of `ResultCache`. */
export const resultCacheContract = (name: string, open: OpenResults) =>
  describe(`ResultCache: ${name}`, () => {
    test('get returns what was put, unchanged', async () => {
      await using store = await open(10)
      const json = '{"title":"Ünïcødé \\u2028 \\" ☕"}'
      await store.results.put('https://a.test/', { json, storedAtMs: 1 })
      expect(await store.results.get('https://a.test/')).toMatchObject({ json, storedAtMs: 1 })
      expect(await store.results.get('https://a.test/other')).toBeNull()
    })

    test('details are stored with the result, and absent if there are no details', async () => {
      await using store = await open(10)
      const details = '{"sources":{"title":"og:title \\u2028 ☕"}}'
      await store.results.put('with', { ...at(1), details })
      await store.results.put('without', at(1))
      const get = (cacheKey: string) => store.results.get(cacheKey, { withDetails: true })
      expect(await get('with')).toMatchObject({ ...at(1), details })
      expect(await get('without')).not.toHaveProperty('details')
      await store.results.put('with', at(2))
      expect(await get('with')).toMatchObject(at(2))
      expect(await get('with')).not.toHaveProperty('details')
    })

    test('putting again replaces the result', async () => {
      await using store = await open(10)
      await store.results.put('k', at(1))
      await store.results.put('k', at(2))
      expect(await store.results.get('k')).toMatchObject(at(2))
      expect(await store.results.count()).toBe(1)
    })

    test('sweep deletes only older results', async () => {
      await using store = await open(5_000)
      await Promise.all(Array.from({ length: 1_201 }, (_, i) => store.results.put(`old ${i}`, at(i))))
      await store.results.put('border', at(5_000))
      expect(await store.results.sweep(5_000, 9_000)).toBe(1_201)
      expect(await store.results.get('old 0')).toBeNull()
      expect(await store.results.get('border')).toMatchObject(at(5_000))
      expect(await store.results.sweep(5_000, 9_000)).toBe(0)
      expect(await store.results.count()).toBe(1)
    })

    test('sweep deletes results dated in the future', async () => {
      await using store = await open(10)
      for (const storedAtMs of [1_000, 2_000, 2_001]) await store.results.put(String(storedAtMs), at(storedAtMs))
      expect(await store.results.sweep(1_000, 2_000)).toBe(1)
      expect(await store.results.get('2001')).toBeNull()
      expect(await store.results.get('2000')).toMatchObject(at(2_000))
    })

    describe('a page', () => {
      const page = 'https://a.test/b?c=d e'.replace(' ', '%20')
      const variants = ['', ' language=de-ch,*;q=0.5', ` language=fr ${'x'.repeat(43)}`, ` ${'y'.repeat(43)}`]
      const neighbors = [`${page}!`, `${page}%20`, `${page}/`, page.slice(0, -1), 'https://a.test/', 'https://a.test/b']

      async function fill({ results }: { results: ResultCache }) {
        const keys = [...variants.map((variant) => page + variant), ...neighbors, ...neighbors.map((url) => `${url} z`)]
        for (const [i, key] of keys.entries()) await results.put(key, at(i))
        await results.put(page, { ...at(0), details: '{}' })
      }

      test('has the results of all variants, with their details, and of no other page', async () => {
        await using store = await open(100)
        await fill(store)
        const found = await store.results.variantsOf(page)
        expect(Object.fromEntries(found.map(({ variant, ...stored }) => [variant, stored]))).toEqual({
          ...Object.fromEntries(variants.map((variant, i) => [variant, at(i)])),
          '': { ...at(0), details: '{}' },
        })
        expect(await store.results.variantsOf('https://unknown.test/')).toEqual([])
      })

      test('is deleted with all variants, and no other page', async () => {
        await using store = await open(100)
        await fill(store)
        const before = await store.results.count()
        expect(await store.results.deletePage(page, false)).toBe(variants.length)
        expect(await Promise.all(variants.map((variant) => store.results.get(page + variant)))).toEqual([
          null,
          null,
          null,
          null,
        ])
        expect(await store.results.variantsOf(page)).toEqual([])
        expect(await Promise.all(neighbors.map((url) => store.results.get(url)))).not.toContain(null)
        expect(await store.results.count()).toBe(before - variants.length)
        expect(await store.results.deletePage(page, true)).toBe(0)
      })

      test('can be stored again', async () => {
        await using store = await open(100)
        await fill(store)
        await store.results.deletePage(page, true)
        await store.results.put(page, at(99))
        expect(await store.results.get(page)).toMatchObject(at(99))
      })
    })
  })

/** The contract of the implementation that enforces the limit; a cache in front of it may keep results longer. */
export const resultBoundContract = (name: string, open: OpenResults) =>
  describe(`ResultCache with a limit: ${name}`, () => {
    test('the oldest results are deleted when there are too many', async () => {
      await using store = await open(3)
      for (const [key, time] of [
        ['b', 20],
        ['a', 10],
        ['c', 30],
        ['d', 40],
      ] as const) {
        await store.results.put(key, at(time))
      }
      expect(await store.results.get('a')).toBeNull()
      for (const key of ['b', 'c', 'd']) expect(await store.results.get(key)).not.toBeNull()
    })

    test('replacing a result deletes no other', async () => {
      await using store = await open(2)
      await store.results.put('a', at(1))
      await store.results.put('b', at(2))
      await store.results.put('b', at(3))
      expect(await store.results.get('a')).toMatchObject(at(1))
    })
  })
