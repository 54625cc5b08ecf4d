import { expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'

import type { PageTexts } from '../../../src/core/fetch/ports.ts'
import { createCachedReader } from '../../../src/service/lookup/cached-reader.ts'
import { localFetchLeases } from '../../../src/store/memory/fetch-leases.ts'
import { openSqlite } from '../../../src/store/sqlite/open.ts'

test('while another process fetches a page, the cache is read every 50 ms', async () => {
  using stores = openSqlite(':memory:', { maxResults: 1 })
  const url = new URL('https://example.com/')
  const waits: number[] = []
  let acquired = 0
  const reader = createCachedReader({
    cache: stores.results,
    leases: {
      acquire: async () => (acquired++ < 9 ? null : Promise.reject(new Error('it does not wait'))),
    },
    read: () => Promise.reject(new Error('only the other process fetches')),
    ttlMs: 1_000,
    allowListId: () => '',
    now: () => 0,
    async wait(ms) {
      if (waits.push(ms) === 3) await stores.results.put(url.href, { json: '{}', storedAtMs: 0 })
    },
    onStoreFault() {},
  })
  const signal = new AbortController().signal
  const request = {
    url,
    cacheKey: url.href,
    readCache: true,
    userId: null,
    publicOnly: false,
    timeoutMs: 1_000,
    signal,
  }
  expect(await reader.get(request)).toMatchObject({ json: '{}', cached: true })
  expect(waits).toEqual([50, 50, 50])
})

test('a result is not stored if the allow-list has changed while the page was fetched', async () => {
  using stores = openSqlite(':memory:', { maxResults: 1 })
  const url = new URL('https://example.com/')
  const fetching = Promise.withResolvers<PageTexts>()
  let listId = ''
  const reader = createCachedReader({
    cache: stores.results,
    leases: localFetchLeases,
    read: () => fetching.promise,
    ttlMs: 1_000,
    allowListId: () => listId,
    now: () => 0,
    wait: () => Promise.reject(new Error('it does not wait')),
    onStoreFault() {},
  })
  const signal = new AbortController().signal
  const request = {
    url,
    cacheKey: url.href,
    readCache: true,
    userId: null,
    publicOnly: false,
    timeoutMs: 1_000,
    signal,
  }
  const response = reader.get(request)
  await setImmediate()
  listId = ' another'
  fetching.resolve({ json: '{"title":"Private"}', details: undefined, isProvisional: false })
  expect(await response).toMatchObject({ json: '{"title":"Private"}', cached: false })
  expect(await reader.stored(request)).toBeNull()
  listId = ''
  expect(await reader.stored(request)).toBeNull()
})

const WITH_EXTRA = JSON.stringify({ extra: {}, sources: {}, trace: { hops: [] } })
const EARLIER = JSON.stringify({ sources: {}, trace: { hops: [] } })

/** A request for fields of `extra` reads the page again if the stored result does not have them. */
test.each<[name: string, details: string | undefined, needsExtra: boolean, isCached: boolean]>([
  ['with extra, needed', WITH_EXTRA, true, true],
  ['with extra, not needed', WITH_EXTRA, false, true],
  ['of an earlier version, needed', EARLIER, true, false],
  ['of an earlier version, not needed', EARLIER, false, true],
  ['without details, needed', undefined, true, false],
  ['without details, not needed', undefined, false, true],
  ['with invalid details, needed', '{"extra":', true, false],
])('a result %s', async (_, details, needsExtra, isCached) => {
  using stores = openSqlite(':memory:', { maxResults: 1 })
  const url = new URL('https://example.com/')
  await stores.results.put(url.href, { json: '{"title":"Stored"}', storedAtMs: 0, ...(details && { details }) })
  const reader = createCachedReader({
    cache: stores.results,
    // As with Redis: another process may have stored the result before the lease was acquired.
    leases: { acquire: async () => ({ isShared: true, release: async () => {} }) },
    read: async () => ({ json: '{"title":"Fresh"}', details: WITH_EXTRA, isProvisional: false }),
    ttlMs: 1_000,
    allowListId: () => '',
    now: () => 0,
    wait: () => Promise.reject(new Error('it does not wait')),
    onStoreFault() {},
  })
  const signal = new AbortController().signal
  const request = {
    url,
    cacheKey: url.href,
    readCache: true,
    needsExtra,
    userId: null,
    publicOnly: false,
    timeoutMs: 1_000,
    signal,
  }
  const stored = await reader.stored(request)
  expect(stored !== null).toBe(isCached)
  const found = await reader.get(request)
  expect([found.cached, JSON.parse(found.json)]).toEqual([isCached, { title: isCached ? 'Stored' : 'Fresh' }])
})
