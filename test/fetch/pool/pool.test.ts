import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from 'bun:test'

import { FetchError } from '../../../src/core/errors.ts'
import type { Budget, Renderer } from '../../../src/core/fetch/ports.ts'
import type { FetchTrace } from '../../../src/core/fetch/trace.ts'
import type { RenderHistory } from '../../../src/core/fetch/render-history.ts'
import { createFetchSlots } from '../../../src/fetch/fetcher.ts'
import { startPool } from '../../../src/fetch/pool/pool.ts'
import { startThread, type ThreadDeps, type ThreadEnd } from '../../../src/fetch/pool/thread.ts'
import { budgetOf, GENEROUS_MS } from '../budget.ts'
import type { Script } from './scripted-worker.ts'

const GONE = new Error('the caller has left')

function depsOf(changes: Partial<ThreadDeps<Script>> = {}) {
  const slots = createFetchSlots(1)
  const entry = new URL('./scripted-worker.ts', import.meta.url).href
  const settings = (): Script => ({ text: 'first' })
  const rest = { renderer: null, history: null, ownPorts: () => [8080, 9090] }
  return { entry, settings, ...rest, ...changes, slots }
}

/** Reads the page of a path, and returns its text. */
const reading =
  ({ read }: Pick<ReturnType<typeof startThread>, 'read'>, host = 'site.test') =>
  async (path: string, budget: Budget = budgetOf(), trace: FetchTrace = { hops: [] }) =>
    (await read(new URL(`http://${host}${path}`), budget, trace, false)).json

async function openThread(changes?: Partial<ThreadDeps<Script>>) {
  const deps = depsOf(changes)
  const ended = Promise.withResolvers<ThreadEnd>()
  const thread = startThread<Script>(deps, ended.resolve)
  await thread.started
  return {
    ...deps,
    thread,
    read: reading(thread),
    ended: ended.promise,
    [Symbol.dispose]: () => thread[Symbol.dispose](),
  }
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )

describe('a page', () => {
  test('is read with the caller, the settings and the ports of this process', async () => {
    using one = await openThread()
    expect(await one.read('/user', budgetOf(GENEROUS_MS, 'u1'))).toBe('u1')
    expect(await one.read('/settings')).toBe('first')
    expect(await one.read('/own-ports')).toBe('8080,9090')
  })

  test('is read with settings that have changed', async () => {
    let text = 'first'
    using one = await openThread({ settings: () => ({ text }) })
    text = 'second'
    one.thread.configure()
    expect(await one.read('/settings')).toBe('second')
  })

  test('that fails rejects with all members of the error, and has its trace', async () => {
    using one = await openThread()
    const trace: FetchTrace = { hops: [] }
    const error = await failureOf(one.read('/fails', budgetOf(), trace))
    expect(error).toBeInstanceOf(FetchError)
    expect(error).toMatchObject({ failure: 'http_status', reason: 'the reason', detail: 'the detail', siteStatus: 503 })
    expect(trace.hops).toMatchObject([{ url: 'http://site.test/fails' }])
    expect(await one.read('/thread')).toBeDefined()
  })

  test('that finds a defect rejects with its stack', async () => {
    using one = await openThread()
    const error = await failureOf(one.read('/breaks'))
    expect(error).not.toBeInstanceOf(FetchError)
    expect(error).toMatchObject({ message: expect.stringMatching(/^in another thread: TypeError: a defect\n +at /) })
  })

  test('whose caller has left before is not sent', async () => {
    using one = await openThread()
    const trace: FetchTrace = { hops: [] }
    expect(await failureOf(one.read('/thread', { ...budgetOf(), signal: AbortSignal.abort(GONE) }, trace))).toBe(GONE)
    expect(trace.hops).toEqual([])
  })

  test('whose caller leaves is aborted in the worker, and rejects with the reason of the caller', async () => {
    using one = await openThread()
    const leaving = new AbortController()
    const failure = failureOf(one.read('/waits', { ...budgetOf(), signal: leaving.signal }))
    await one.read('/thread')
    leaving.abort(GONE)
    expect(await failure).toBe(GONE)
  })

  test('gets the time of a later caller', async () => {
    using one = await openThread()
    let remaining = 5_000
    let extend = () => {}
    const budget = { ...budgetOf(), remainingMs: () => remaining, onExtended: (run: () => void) => void (extend = run) }
    const extended = one.read('/remaining', budget)
    await one.read('/thread')
    remaining = 20_000
    extend()
    expect(await extended).toBe('extended')
  })

  test('sends its trace before the deadline, although it still waits', async () => {
    using one = await openThread()
    const trace: FetchTrace = { hops: [] }
    const leaving = new AbortController()
    const failure = failureOf(
      one.read('/waits', { ...budgetOf(), remainingMs: () => 50, signal: leaving.signal }, trace),
    )
    while (trace.hops.length === 0) await Bun.sleep(1)
    expect(trace.hops).toMatchObject([{ url: 'http://site.test/waits' }])
    leaving.abort(GONE)
    expect(await failure).toBe(GONE)
  })

  test('takes a slot of the main thread, and releases it', async () => {
    using one = await openThread()
    expect(await one.read('/takes-slot')).toBe('taken')
    expect(await one.read('/takes-slot')).toBe('taken')
    expect(one.slots.pages.load().active).toBe(0)
  })

  test('that waits for a slot leaves the queue when its caller leaves', async () => {
    using one = await openThread()
    const holder = new AbortController()
    using _slot = await one.slots.pages.take({ user: null, limits: [] }, holder.signal)
    using _reserve = await one.slots.pages.take({ user: 'u2', limits: [] }, holder.signal)
    const leaving = new AbortController()
    const failure = failureOf(one.read('/takes-slot', { ...budgetOf(GENEROUS_MS, 'u1'), signal: leaving.signal }))
    while (one.slots.pages.load().waiting < 2) await Bun.sleep(1)
    leaving.abort(GONE)
    expect(await failure).toBe(GONE)
    while (one.slots.pages.load().waiting > 1) await Bun.sleep(1)
  })

  test.each<[string, Renderer['render'], object]>([
    [
      'rendered',
      async (url) => ({ page: { url, status: 200 }, report: 'the report' }) as never,
      { page: { status: 200 } },
    ],
    ['not rendered', async () => ({ failure: 'unavailable' }) as never, { failure: 'unavailable' }],
  ])('is %s by the browser of the main thread', async (_, render, expected) => {
    using one = await openThread({ renderer: { render } })
    expect(JSON.parse(await one.read('/renders'))).toMatchObject(expected)
  })

  test('reads and notes in the main thread whether its host needs a browser', async () => {
    const noted: unknown[] = []
    const history: RenderHistory = { needsBrowser: (host) => host === 'site.test', note: (...note) => noted.push(note) }
    using one = await openThread({ history })
    expect(await one.read('/needs-browser')).toBe('true')
    expect(await reading(one.thread, 'other.test')('/needs-browser')).toBe('false')
    using plain = await openThread()
    expect(await plain.read('/needs-browser')).toBe('false')
    expect(noted).toEqual([
      ['site.test', true],
      ['other.test', true],
    ])
  })
})

describe('a worker', () => {
  test('that exits ends its pages, releases their slots, and blames the page', async () => {
    using one = await openThread()
    const { pages } = one.slots
    const keeping = failureOf(one.read('/keeps-slot', budgetOf(GENEROUS_MS, 'u1')))
    while (pages.load().active === 0) await Bun.sleep(1)
    using _reserve = await pages.take({ user: 'u2', limits: [] }, new AbortController().signal)
    const waiting = failureOf(one.read('/takes-slot', budgetOf(GENEROUS_MS, 'u1')))
    while (pages.load().waiting < 2) await Bun.sleep(1)
    expect(await failureOf(one.read('/exits'))).toMatchObject({ failure: 'not_processed' })
    expect(await keeping).toMatchObject({ failure: 'not_processed' })
    expect(await waiting).toMatchObject({ failure: 'not_processed' })
    expect(await one.ended).toEqual({ reason: 'crashed', host: 'site.test', error: null, wasReady: true })
    while (pages.load().waiting > 0) await Bun.sleep(1)
    expect(pages.load().active).toBe(1)
  })

  test('that does not answer is ended', async () => {
    using one = await openThread()
    expect(await failureOf(one.read('/hangs'))).toMatchObject({ failure: 'not_processed' })
    expect(await one.ended).toMatchObject({ reason: 'unresponsive', host: 'site.test' })
  })

  test('that throws an error that nothing catches is ended with its message', async () => {
    using one = await openThread()
    expect(await failureOf(one.read('/throws-later'))).toMatchObject({ failure: 'not_processed' })
    expect(await one.ended).toMatchObject({ reason: 'crashed', error: expect.stringContaining('not caught') })
  })

  describe('that does not answer', () => {
    beforeEach(() => void jest.useFakeTimers())
    afterEach(() => {
      jest.useRealTimers()
      jest.restoreAllMocks()
    })
    const BUSY = { user: 500_000, system: 0 }
    const IDLE = { user: 499_999, system: 0 }

    test.each<[string, typeof BUSY, path: string | null, pings: number]>([
      ['is ended after 2 seconds', BUSY, '/hangs', 4],
      ['is ended after 30 seconds while it may be waiting for a CPU', IDLE, '/hangs', 60],
      ['is ended after 30 seconds while it starts', BUSY, null, 60],
    ])('%s', async (_, cpu, path, pings) => {
      spyOn(process, 'cpuUsage').mockReturnValue(cpu)
      const ends: ThreadEnd[] = []
      const settings = (): Script => ({ text: '', ...(path === null && { hangsAt: 'open' as const }) })
      using thread = startThread<Script>(depsOf({ settings }), (end) => ends.push(end))
      if (path !== null) {
        await thread.started
        void reading(thread)(path).catch(() => {})
      }
      jest.advanceTimersByTime(500 * pings)
      expect(ends).toEqual([])
      jest.advanceTimersByTime(500)
      expect(ends).toMatchObject([{ reason: 'unresponsive', wasReady: path !== null }])
    })

    test('for a while is not ended when it answers again', async () => {
      spyOn(process, 'cpuUsage').mockReturnValue(BUSY)
      const ends: ThreadEnd[] = []
      using thread = startThread<Script>(depsOf(), (end) => ends.push(end))
      await thread.started
      void reading(thread)('/waits').catch(() => {})
      jest.advanceTimersByTime(4 * 500)
      await reading(thread)('/thread')
      jest.advanceTimersByTime(4 * 500)
      expect(ends).toEqual([])
    })
  })

  test.each<[Script['exitsAt'], boolean]>([
    ['open', false],
    ['configure', true],
  ])('that exits at %s blames no page', async (exitsAt, wasReady) => {
    let current: Script = exitsAt === 'open' ? { text: '', exitsAt } : { text: '' }
    using one = await openThread({ settings: () => current })
    current = { text: '', exitsAt }
    if (wasReady) {
      await one.read('/thread')
      one.thread.configure()
    }
    expect(await one.ended).toMatchObject({ reason: 'crashed', host: null, wasReady })
  })

  test('that is disposed aborts its pages, and does not count as ended', async () => {
    let ends = 0
    const thread = startThread<Script>(depsOf(), () => ends++)
    await thread.started
    const failure = failureOf(reading(thread)('/waits'))
    thread[Symbol.dispose]()
    thread[Symbol.dispose]()
    expect(await failure).toMatchObject({ message: 'The reader is closed' })
    expect(ends).toBe(0)
  })
})

describe('a pool', () => {
  test('that is disposed aborts the pages of all workers', async () => {
    const pool = await startPool<Script>(2, depsOf(), () => {})
    const failures = Array.from({ length: 10 }, (_, i) => failureOf(reading(pool, `host${i}.test`)('/waits')))
    await pool[Symbol.asyncDispose]()
    const messages = (await Promise.all(failures)).map((error) => (error as Error).message)
    expect(new Set(messages)).toEqual(new Set(['The reader is closed']))
  })

  test('reads all pages of a host in one worker, and hosts in different workers', async () => {
    await using pool = await startPool<Script>(2, depsOf(), () => {})
    const hosts = Array.from({ length: 40 }, (_, i) => `host${i}.test`)
    const threadsOf = () => Promise.all(hosts.map((host) => reading(pool, host)('/thread')))
    const first = await threadsOf()
    expect(new Set(first).size).toBe(2)
    expect(await threadsOf()).toEqual(first)
  })

  test('distributes hosts in a way that nobody can predict', async () => {
    const threadsOf = async () => {
      await using pool = await startPool<Script>(2, depsOf(), () => {})
      const ids = await Promise.all(Array.from({ length: 40 }, (_, i) => reading(pool, `host${i}.test`)('/thread')))
      return ids.map((id) => id === ids[0]).join()
    }
    expect(await threadsOf()).not.toBe(await threadsOf())
  })

  test('replaces a worker, counts it, and refuses the pages of the host that ended it', async () => {
    const ends: ThreadEnd[] = []
    const starts: Script[] = []
    const settings = (): Script => starts.at(starts.push({ text: 'first' }) - 1)!
    await using pool = await startPool<Script>(1, depsOf({ settings }), (end) => ends.push(end))
    expect(pool.status()).toEqual({ workers: 1, restarts: 0 })
    expect(await failureOf(reading(pool, 'bad.test')('/exits'))).toMatchObject({ failure: 'not_processed' })
    while (ends.length === 0) await Bun.sleep(1)
    expect(ends).toMatchObject([{ host: 'bad.test' }])
    expect(pool.status()).toEqual({ workers: 1, restarts: 1 })
    // It does not wait for the next page.
    while (starts.length < 2) await Bun.sleep(1)
    expect(await reading(pool, 'good.test')('/settings')).toBe('first')
    expect(await failureOf(reading(pool, 'bad.test')('/thread'))).toMatchObject({ failure: 'not_processed' })
  })

  test('counts a worker that does not answer once', async () => {
    await using pool = await startPool<Script>(1, depsOf(), () => {})
    expect(await failureOf(reading(pool, 'bad.test')('/hangs'))).toMatchObject({ failure: 'not_processed' })
    expect(await reading(pool, 'good.test')('/settings')).toBe('first')
    expect(pool.status()).toEqual({ workers: 1, restarts: 1 })
  })

  test('starts a worker that could not start again only for the next page', async () => {
    let current: Script = { text: '', exitsAt: 'open' }
    const ends: ThreadEnd[] = []
    await using pool = await startPool<Script>(1, depsOf({ settings: () => current }), (end) => ends.push(end))
    while (ends.length === 0) await Bun.sleep(1)
    current = { text: 'works' }
    expect(await reading(pool)('/settings')).toBe('works')
    expect(ends).toHaveLength(1)
  })

  test('passes new settings to all workers', async () => {
    let text = 'first'
    await using pool = await startPool<Script>(2, depsOf({ settings: () => ({ text }) }), () => {})
    text = 'second'
    pool.configure()
    const hosts = Array.from({ length: 10 }, (_, i) => `host${i}.test`)
    const texts = await Promise.all(hosts.map((host) => reading(pool, host)('/settings')))
    expect(new Set(texts)).toEqual(new Set(['second']))
  })
})
