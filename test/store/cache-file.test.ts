import { Database } from 'bun:sqlite'
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type CacheFile, type CacheLoss, sqliteCacheFile } from '../../src/store/sqlite/cache-file.ts'

// Closing a cache waits for the disk.
setDefaultTimeout(30_000)

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

const mark = () => `${path}-boot`
const open = () => sqliteCacheFile(path, { maxResults: 100_000, onReplaced: (reason) => losses.push(reason) })

async function put(cache: CacheFile, count: number, json = '{}') {
  const keys = Array.from({ length: count }, (_, i) => `https://a.test/${i}`)
  await cache.results.putAll(keys.map((cacheKey) => ({ cacheKey, json, storedAtMs: 1 })))
}

describe('a cache that is closed', () => {
  test('is in one file, on disk, so that it can be used after the next boot', async () => {
    {
      using cache = open()
      await put(cache, 500)
      expect(existsSync(mark())).toBe(true)
    }
    // The connection itself is closed when its statements are collected as garbage.
    expect([existsSync(mark()), sizeOf(`${path}-wal`)]).toEqual([false, 0])
    using cache = open()
    expect([await cache.results.count(), losses]).toEqual([500, []])
  })

  test('after it was compacted, too', async () => {
    {
      using cache = open()
      await put(cache, 1_500, 'x'.repeat(50_000))
      await cache.results.sweep(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      await cache.shrink()
    }
    expect([existsSync(mark()), sizeOf(`${path}-wal`), sizeOf(path) < 100_000]).toEqual([false, 0, true])
  })

  test('while it is being compacted, too', async () => {
    const cache = open()
    await put(cache, 1_500, 'x'.repeat(50_000))
    await cache.results.sweep(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
    const shrunk = cache.shrink()
    cache[Symbol.dispose]()
    await shrunk
    expect([existsSync(mark()), sizeOf(`${path}-wal`), sizeOf(path) < 100_000]).toEqual([false, 0, true])
  })

  test('while another process reads it, keeps its mark', async () => {
    using cache = open()
    await put(cache, 1)
    using other = new Database(path)
    other.run('BEGIN')
    other.query('SELECT count(*) FROM results').all()
    await put(cache, 2)
    cache[Symbol.dispose]()
    expect(existsSync(mark())).toBe(true)
  })

  test('after its directory was moved away, keeps the mark of the cache that replaced it', async () => {
    using cache = open()
    await put(cache, 1)
    renameSync(folder, `${folder}.old`)
    mkdirSync(folder)
    using replacement = open()
    await put(replacement, 1)
    cache[Symbol.dispose]()
    expect(existsSync(mark())).toBe(true)
  })
})

describe('a cache is replaced', () => {
  test.each([
    ['of an earlier boot', () => writeFileSync(mark(), 'earlier'), ['unclean_shutdown']],
    ['whose mark was cut off', () => writeFileSync(mark(), ''), ['unclean_shutdown']],
    ['whose mark cannot be read', () => mkdirSync(mark()), ['unclean_shutdown']],
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

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function execute(statement: string) {
  using database = new Database(path)
  database.run(statement)
}
