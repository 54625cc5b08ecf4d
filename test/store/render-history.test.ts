import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { MAX_RENDERED_HOSTS } from '../../src/core/limits.ts'
import type { RenderedHosts } from '../../src/core/fetch/render-history.ts'
import { memoryRenderHistory, type StoredRenderHistory } from '../../src/store/memory/render-history.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const WEEK_MS = 7 * DAY_MS
const START_MS = Date.parse('2026-11-22T00:00:00Z')

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-rendered-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface HistoryOptions {
  stored?: RenderedHosts | null
  now?: () => number
  onError?: (error: unknown) => void
}

function openHistory({ stored = null, now = () => START_MS, onError = unexpected }: HistoryOptions = {}) {
  return memoryRenderHistory({ stored, now, onError })
}

function unexpected(error: unknown): never {
  throw error
}

/** Records pages of a host: `+` needed the browser, `-` did not. */
function note(history: StoredRenderHistory, pages: string, host = 'a.test') {
  for (const page of pages) history.note(host, page === '+')
}

/** A store in memory that records its writes. */
function recordingHosts() {
  const rows = new Map<string, number>()
  const writes: string[] = []
  const hosts: RenderedHosts = {
    list: async () =>
      [...rows]
        .map(([host, confirmedAtMs]) => ({ host, confirmedAtMs }))
        .toSorted((a, b) => b.confirmedAtMs - a.confirmedAtMs),
    async put({ host, confirmedAtMs }) {
      writes.push(`put ${host}`)
      rows.set(host, confirmedAtMs)
    },
    async delete(host) {
      writes.push(`delete ${host}`)
      rows.delete(host)
    },
    sweep: async () => 0,
  }
  return { rows, writes, hosts }
}

describe('a host needs the browser', () => {
  test.each<[pages: string, expected: boolean]>([
    ['', false],
    ['+', false],
    ['++', false],
    ['+++', true],
    ['++++++', true],
    ['++-+', false],
    ['+++-', false],
    ['+++-++', false],
    ['+++-+++', true],
    ['---', false],
  ])('after %p', (pages, expected) => {
    const history = openHistory()
    note(history, pages)
    expect(history.needsBrowser('a.test')).toBe(expected)
  })

  test('but not other hosts', () => {
    const history = openHistory()
    note(history, '+++')
    expect(history.needsBrowser('b.test')).toBe(false)
  })

  test.each<[elapsedMs: number, expected: boolean]>([
    [WEEK_MS - 1, true],
    [WEEK_MS + 1, false],
  ])('%d ms after its last page', (elapsedMs, expected) => {
    let nowMs = START_MS
    const history = openHistory({ now: () => nowMs })
    note(history, '+++')
    nowMs += elapsedMs
    expect(history.needsBrowser('a.test')).toBe(expected)
  })

  test('as long as its pages need it', () => {
    let nowMs = START_MS
    const history = openHistory({ now: () => nowMs })
    note(history, '+++')
    nowMs += WEEK_MS - 1
    note(history, '+')
    nowMs += WEEK_MS - 1
    expect(history.needsBrowser('a.test')).toBe(true)
  })
})

test('the number of hosts is limited', () => {
  const history = openHistory()
  note(history, '+++')
  for (let i = 0; i < MAX_RENDERED_HOSTS; i++) history.note(`${i}.test`, true)
  expect(history.needsBrowser('a.test')).toBe(false)
})

describe('the store is written', () => {
  test.each<[pages: string, writes: string[]]>([
    ['++', []],
    ['---', []],
    ['+++', ['put a.test']],
    ['++++++', ['put a.test']],
    ['+++-', ['put a.test', 'delete a.test']],
    ['+++---', ['put a.test', 'delete a.test']],
    ['+++-+++', ['put a.test', 'delete a.test', 'put a.test']],
  ])('only when the verdict changes: %p', async (pages, writes) => {
    const store = recordingHosts()
    await using history = openHistory({ stored: store.hosts })
    note(history, pages)
    expect(store.writes).toEqual(writes)
  })

  test('once a day while the pages need the browser', async () => {
    let nowMs = START_MS
    const store = recordingHosts()
    await using history = openHistory({ stored: store.hosts, now: () => nowMs })
    note(history, '+++')
    nowMs += DAY_MS - 1
    note(history, '++')
    expect(store.writes).toHaveLength(1)
    nowMs += 1
    note(history, '++')
    expect(store.writes).toHaveLength(2)
    expect(store.rows).toEqual(new Map([['a.test', START_MS + DAY_MS]]))
  })
})

describe('after a restart', () => {
  /** Learns a host, closes the database, opens it again after `elapsedMs`, and reads the hosts. */
  async function restart(name: string, elapsedMs: number, pages = '+++') {
    const path = join(folder, `${name}.db`)
    {
      using stores = openSqlite(path, { maxResults: 1 })
      await using history = openHistory({ stored: stores.renderedHosts })
      note(history, pages)
    }
    using stores = openSqlite(path, { maxResults: 1 })
    await using history = openHistory({ stored: stores.renderedHosts, now: () => START_MS + elapsedMs })
    await history.refresh(START_MS + elapsedMs)
    return { needsBrowser: history.needsBrowser('a.test'), rows: (await stores.renderedHosts.list()).length }
  }

  test('a host is known', async () => {
    expect(await restart('known', 1)).toEqual({ needsBrowser: true, rows: 1 })
  })

  test('a host that was removed is not', async () => {
    expect(await restart('removed', 1, '+++-')).toEqual({ needsBrowser: false, rows: 0 })
  })

  test('a host expires as if the process had not ended', async () => {
    expect(await restart('day before', WEEK_MS - 1)).toEqual({ needsBrowser: true, rows: 1 })
    expect(await restart('day after', WEEK_MS + 1)).toEqual({ needsBrowser: false, rows: 0 })
  })

  test('a host dated in the future by a wrong clock is deleted', async () => {
    expect(await restart('future', -DAY_MS)).toEqual({ needsBrowser: false, rows: 0 })
  })
})

describe('hosts of other processes', () => {
  test('are known after a refresh, and removed after the next one', async () => {
    const store = recordingHosts()
    await using one = openHistory({ stored: store.hosts })
    let nowMs = START_MS
    await using other = openHistory({ stored: store.hosts, now: () => nowMs })
    note(one, '+++')
    expect(other.needsBrowser('a.test')).toBe(false)
    await other.refresh(nowMs)
    expect(other.needsBrowser('a.test')).toBe(true)
    note(one, '-')
    nowMs += 1
    await other.refresh(nowMs)
    expect(other.needsBrowser('a.test')).toBe(false)
  })

  test('expire a week after their last page, not after the refresh', async () => {
    const store = recordingHosts()
    let nowMs = START_MS
    await using history = openHistory({ stored: store.hosts, now: () => nowMs })
    store.rows.set('a.test', START_MS - WEEK_MS + 2)
    await history.refresh(nowMs)
    nowMs += 1
    expect(history.needsBrowser('a.test')).toBe(true)
    nowMs += 2
    expect(history.needsBrowser('a.test')).toBe(false)
  })

  test('a host that is stored while they are read stays known', async () => {
    const store = recordingHosts()
    const listed = Promise.withResolvers<[]>()
    await using history = openHistory({ stored: { ...store.hosts, list: () => listed.promise } })
    const refreshed = history.refresh(START_MS)
    note(history, '+++')
    listed.resolve([])
    await refreshed
    expect(history.needsBrowser('a.test')).toBe(true)
  })

  test('a host that is not stored yet stays known', async () => {
    await using history = openHistory({ stored: recordingHosts().hosts })
    note(history, '++')
    await history.refresh(START_MS)
    note(history, '+')
    expect(history.needsBrowser('a.test')).toBe(true)
  })
})

describe('a store that fails', () => {
  const fail = () => Promise.reject(new Error('disk I/O error'))
  const failing: RenderedHosts = { list: fail, put: fail, delete: fail, sweep: fail }

  test('is reported, and the hosts in memory are used', async () => {
    const errors: unknown[] = []
    await using history = openHistory({ stored: failing, onError: (error) => errors.push(error) })
    note(history, '+++')
    await expect(history.refresh(START_MS)).rejects.toThrow('disk I/O error')
    expect(history.needsBrowser('a.test')).toBe(true)
    expect(errors).toEqual([new Error('disk I/O error')])
  })

  test('is written with the next page once it works again', async () => {
    const store = recordingHosts()
    let put = failing.put
    const history = openHistory({ stored: { ...store.hosts, put: (host) => put(host) }, onError: () => {} })
    note(history, '+++')
    await history[Symbol.asyncDispose]()
    put = store.hosts.put
    note(history, '+')
    expect(store.writes).toEqual(['put a.test'])
  })
})
