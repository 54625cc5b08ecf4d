import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'

import { UNSHARED_LEASES } from '../../../src/core/fetch/leases.ts'
import type { PageTexts } from '../../../src/core/fetch/ports.ts'
import type { FetchTrace } from '../../../src/core/fetch/trace.ts'
import { type CachedReaderDeps, createCachedReader } from '../../../src/service/lookup/cached-reader.ts'
import { openTemporary } from '../../store/temporary-sqlite.ts'
import { settingsOf } from '../../settings.ts'

const KEY = 'https://example.com/'
const REQUEST = {
  url: new URL(KEY),
  cacheKey: KEY,
  readCache: true,
  userId: null,
  publicOnly: false,
  timeoutMs: 15_000,
  signal: new AbortController().signal,
}

/** A reader whose clock stands still, and for which no other process fetches. */
const readerOf = (deps: Pick<CachedReaderDeps, 'cache' | 'read'> & Partial<CachedReaderDeps>) =>
  createCachedReader({
    leases: UNSHARED_LEASES,
    ttlMs: 1_000,
    settings: settingsOf(),
    now: () => 0,
    wait: () => Promise.reject(new Error('it does not wait')),
    onReadFault() {},
    onStoreFault() {},
    ...deps,
  })

test('while another process fetches a page, the cache is read every 50 ms', async () => {
  using stores = openTemporary({ maxResults: 1 })
  const waits: number[] = []
  let acquired = 0
  const reader = readerOf({
    cache: stores.results,
    leases: {
      acquire: async () => (acquired++ < 9 ? null : Promise.reject(new Error('it does not wait'))),
    },
    read: () => Promise.reject(new Error('only the other process fetches')),
    async wait(ms) {
      if (waits.push(ms) === 3) await stores.results.put(KEY, { json: '{}', storedAtMs: 0 })
    },
  })
  expect(await reader.get(REQUEST)).toMatchObject({ json: '{}', cached: true })
  expect(waits).toEqual([50, 50, 50])
})

test('faults of the cache are reported: the page is read, and its result returned', async () => {
  using stores = openTemporary({ maxResults: 1 })
  const [readFault, storeFault] = [new Error('the database is damaged'), new Error('the disk is full')]
  const faults: [name: string, error: unknown][] = []
  const reader = readerOf({
    cache: { ...stores.results, get: () => Promise.reject(readFault), put: () => Promise.reject(storeFault) },
    read: async () => ({ json: '{}', details: undefined, isProvisional: false }),
    onReadFault: (error) => faults.push(['read', error]),
    onStoreFault: (error) => faults.push(['store', error]),
  })
  expect(await reader.get(REQUEST)).toMatchObject({ json: '{}', cached: false })
  await setImmediate()
  expect(faults).toEqual([
    ['read', readFault],
    ['store', storeFault],
  ])
})

test('a result is not stored if the allow-list has changed while the page was fetched', async () => {
  using stores = openTemporary({ maxResults: 1 })
  const fetching = Promise.withResolvers<PageTexts>()
  let listId = ''
  const reader = readerOf({
    cache: stores.results,
    read: () => fetching.promise,
    settings: () => ({ allowListId: listId }),
  })
  const response = reader.get(REQUEST)
  await setImmediate()
  listId = ' another'
  fetching.resolve({ json: '{"title":"Private"}', details: undefined, isProvisional: false })
  expect(await response).toMatchObject({ json: '{"title":"Private"}', cached: false })
  expect(await reader.stored(REQUEST)).toBeNull()
  listId = ''
  expect(await reader.stored(REQUEST)).toBeNull()
})

test.each([
  ['a shared lease: the result that another process has stored meanwhile is returned', true, true],
  ['a lease of a single process, for which the cache is not read again', false, false],
])('%s, and the lease is released', async (_, isShared, isCached) => {
  using stores = openTemporary({ maxResults: 1 })
  const released = Promise.withResolvers<void>()
  const reader = readerOf({
    cache: stores.results,
    leases: {
      async acquire() {
        await stores.results.put(KEY, { json: '{"title":"Stored"}', storedAtMs: 0 })
        return { isShared, release: async () => released.resolve() }
      },
    },
    read: async () => ({ json: '{"title":"Fresh"}', details: undefined, isProvisional: false }),
  })
  const found = await reader.get(REQUEST)
  expect([found.cached, found.json]).toEqual([isCached, isCached ? '{"title":"Stored"}' : '{"title":"Fresh"}'])
  expect(await released.promise).toBeUndefined()
})

test('a lease is held until the result is stored', async () => {
  using stores = openTemporary({ maxResults: 1 })
  const [storing, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isStored = false
  const reader = readerOf({
    cache: { ...stores.results, put: () => storing.promise.then(() => void (isStored = true)) },
    leases: { acquire: async () => ({ isShared: true, release: async () => (released.resolve(), undefined) }) },
    read: async () => ({ json: '{}', details: undefined, isProvisional: false }),
  })
  expect(await reader.get(REQUEST)).toMatchObject({ json: '{}', cached: false })
  const wasStored = released.promise.then(() => isStored)
  await setImmediate()
  storing.resolve()
  expect(await wasStored).toBe(true)
})

const WITH_EXTRA = JSON.stringify({ extra: {}, sources: {}, trace: { hops: [] } })
const WITH_TAGS = JSON.stringify({ tags: { plain: {} }, sources: {}, trace: { hops: [] } })
const EARLIER = JSON.stringify({ sources: {}, trace: { hops: [] } })

/** A request for fields of `extra`, or for tags, reads the page again if the stored result does not have them. */
test.each<[name: string, details: string | undefined, needs: 'extra' | 'tags' | undefined, isCached: boolean]>([
  ['with extra, needed', WITH_EXTRA, 'extra', true],
  ['with extra, not needed', WITH_EXTRA, undefined, true],
  ['of an earlier version, needed', EARLIER, 'extra', false],
  ['of an earlier version, not needed', EARLIER, undefined, true],
  ['without details, needed', undefined, 'extra', false],
  ['without details, not needed', undefined, undefined, true],
  ['with invalid details, needed', '{"extra":', 'extra', false],
  ['with tags, needed', WITH_TAGS, 'tags', true],
  ['of a file, which has no tags, needed', WITH_TAGS.replace('{}', 'null'), 'tags', true],
  ['without tags, needed', WITH_EXTRA, 'tags', false],
])('a result %s', async (_, details, needs, isCached) => {
  using stores = openTemporary({ maxResults: 1 })
  await stores.results.put(KEY, { json: '{"title":"Stored"}', storedAtMs: 0, ...(details && { details }) })
  const reader = readerOf({
    cache: stores.results,
    // As with Redis: another process may have stored the result before the lease was acquired.
    leases: { acquire: async () => ({ isShared: true, release: async () => {} }) },
    read: async () => ({ json: '{"title":"Fresh"}', details: WITH_EXTRA, isProvisional: false }),
  })
  const request = { ...REQUEST, needs }
  const stored = await reader.stored(request)
  expect(stored !== null).toBe(isCached)
  const found = await reader.get(request)
  expect([found.cached, JSON.parse(found.json)]).toEqual([isCached, { title: isCached ? 'Stored' : 'Fresh' }])
})

test.each([0, 1, 2, 3])(
  'a result is not stored if its page is deleted %i steps after it was fetched',
  async (steps) => {
    using stores = openTemporary({ maxResults: 1 })
    const fetching = Promise.withResolvers<PageTexts>()
    const reader = readerOf({ cache: stores.results, read: () => fetching.promise })
    const response = reader.get(REQUEST)
    await setImmediate()
    fetching.resolve({ json: '{}', details: undefined, isProvisional: false })
    for (let step = 0; step < steps; step++) await Promise.resolve()
    await reader.deletePage(KEY)
    await response
    await setImmediate()
    expect(await reader.stored(REQUEST)).toBeNull()
  },
)

test('a fetch in progress when its page is deleted is not shared with later requests', async () => {
  using stores = openTemporary({ maxResults: 1 })
  const fetching = Promise.withResolvers<PageTexts>()
  let reads = 0
  const reader = readerOf({ cache: stores.results, read: () => (reads++, fetching.promise) })
  const [first, joined] = [reader.get(REQUEST), reader.get(REQUEST)]
  await setImmediate()
  expect(reads).toBe(1)
  await reader.deletePage(KEY)
  const later = reader.get(REQUEST)
  await setImmediate()
  expect(reads).toBe(2)
  fetching.resolve({ json: '{}', details: undefined, isProvisional: false })
  expect((await Promise.all([first, joined, later])).map(({ cached }) => cached)).toEqual([false, false, false])
})

describe('a client that leaves', () => {
  test('while another process fetches its page ends the wait', async () => {
    using stores = openTemporary({ maxResults: 1 })
    const leaving = new AbortController()
    let acquired = 0
    const reader = readerOf({
      cache: stores.results,
      leases: { acquire: async () => (acquired++ < 9 ? null : Promise.reject(new Error('it waits forever'))) },
      read: () => Promise.reject(new Error('only the other process fetches')),
      async wait() {
        if (acquired === 2) leaving.abort()
        await setImmediate()
      },
    })
    await expect(reader.get({ ...REQUEST, signal: leaving.signal })).rejects.toMatchObject({ kind: 'client_closed' })
    await setImmediate()
    expect(acquired).toBe(2)
  })

  test('gets its error when the fetch has ended, so that its trace is complete', async () => {
    using stores = openTemporary({ maxResults: 1 })
    const [leaving, started] = [new AbortController(), Promise.withResolvers<void>()]
    const trace: FetchTrace = { hops: [] }
    const reader = readerOf({
      cache: stores.results,
      async read(_, { signal }, ofFetch) {
        started.resolve()
        await once(signal, 'abort')
        await setImmediate()
        ofFetch!.interstitial = 'consent'
        throw signal.reason
      },
    })
    const response = reader.get({ ...REQUEST, signal: leaving.signal }, trace)
    await started.promise
    leaving.abort()
    await expect(response).rejects.toMatchObject({ kind: 'client_closed' })
    expect(trace.interstitial).toBe('consent')
  })
})
