import { Database } from 'bun:sqlite'
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type CacheLoss, sqliteCacheFile } from '../../src/store/sqlite/cache-file.ts'
import { describeRoot, smallDisk } from '../small-disk.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

// Closing a cache waits for the disk.
setDefaultTimeout(PATIENT_TEST_MS)

const root = mkdtempSync(join(tmpdir(), 'urlmeta-cache-file-'))
afterAll(() => rmSync(root, { recursive: true }))

let folder: string
let path: string
let losses: CacheLoss[]

beforeEach(() => {
  folder = mkdtempSync(join(root, 'data-'))
  path = join(folder, 'cache.db')
  losses = []
})

const open = () => sqliteCacheFile(path, { maxResults: 100_000, onReplaced: (reason) => losses.push(reason) })

async function put(cache: ReturnType<typeof open>, count: number, json = '{}') {
  const keys = Array.from({ length: count }, (_, i) => `https://a.test/${i}`)
  await cache.results.putAll(keys.map((cacheKey) => ({ cacheKey, json, storedAtMs: 1 })))
}

describe('a cache that is closed', () => {
  test('is used after it is opened again', async () => {
    {
      using cache = open()
      await put(cache, 500)
    }
    using cache = open()
    expect([await cache.results.count(), losses]).toEqual([500, []])
  })

  test.each([
    ['after it was compacted', true],
    ['while it is being compacted', false],
  ])('%s is small', async (_, isCompacted) => {
    const cache = open()
    await put(cache, 1_500, 'x'.repeat(50_000))
    await cache.results.sweep(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
    const shrunk = cache.shrink()
    if (isCompacted) await shrunk
    cache[Symbol.dispose]()
    await shrunk
    expect(sizeOf(path)).toBeLessThan(100_000)
  })
})

describe('a cache is replaced', () => {
  test.each([
    ['of another version', () => execute('PRAGMA user_version = 99'), ['other_version']],
    ['that is not a database', () => writeFileSync(path, 'no database '.repeat(1_000)), ['not_a_database']],
  ] as [string, () => void, CacheLoss[]][])('%s', async (_, change, expected) => {
    {
      using cache = open()
      await put(cache, 1)
    }
    change()
    using cache = open()
    expect([await cache.results.count(), losses]).toEqual([0, expected])
    await put(cache, 1)
    expect(await cache.results.count()).toBe(1)
  })

  test('once, when several operations find it damaged', async () => {
    using cache = open()
    await put(cache, 1)
    execute('DROP TABLE results')
    await Promise.allSettled([put(cache, 3), cache.results.count(), cache.results.get('https://a.test/0')])
    expect([await cache.results.count(), losses]).toEqual([3, ['damaged']])
  })

  test('not while its directory is missing', async () => {
    using cache = open()
    await put(cache, 1)
    renameSync(folder, `${folder}.old`)
    await Bun.sleep(60)
    await expect(cache.results.count()).rejects.toThrow()
    expect(losses).toEqual([])
  })
})

describeRoot('a full disk', () => {
  test('results that could not be stored or deleted are counted as before', async () => {
    using disk = smallDisk(folder, 3_000)
    using cache = sqliteCacheFile(join(disk.path, 'cache.db'), { maxResults: 100 })
    await put(cache, 50)
    disk.fill()
    const result = { cacheKey: 'https://b.test/', json: '"'.padEnd(10_000), storedAtMs: 1 }
    await expect(cache.results.putAll([result])).rejects.toThrow('full')
    expect(await cache.results.count()).toBe(50)
    await expect(cache.results.deletePage('https://a.test/1', true)).rejects.toThrow('full')
    expect(await cache.results.count()).toBe(50)
    disk.free()
    await cache.results.putAll([result])
    expect(await cache.results.count()).toBe(51)
  })
})

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function execute(statement: string) {
  using database = new Database(path)
  database.run(statement)
}
