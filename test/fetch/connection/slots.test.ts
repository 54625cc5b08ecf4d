import { describe, expect, test } from 'bun:test'

import { createSlots, type ConcurrencyLimit } from '../../../src/fetch/connection/slots.ts'

const NEVER = new AbortController().signal

/** Slots and the tasks that hold them. Tasks are named by user and order of arrival: `ann1`, `ann2`, `bob1`. */
function openHarness(total: number) {
  const slots = createSlots({ total })
  const held = new Map<string, Disposable>()
  const refused: string[] = []
  const counts = new Map<string, number>()
  /** Promises settle in microtasks, which all run before this. */
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const running = () => [...held.keys()]
  return {
    refused,
    running,
    async request(
      user: string,
      { limits = [], signal = NEVER }: { limits?: ConcurrencyLimit[]; signal?: AbortSignal } = {},
    ) {
      const count = (counts.get(user) ?? 0) + 1
      counts.set(user, count)
      const name = user + count
      slots.take({ user, limits }, signal).then(
        (slot) => held.set(name, slot),
        (error: Error) => refused.push(`${name}: ${error.message}`),
      )
      await settle()
    },
    /** Requests `count` slots. */
    async flood(user: string, count: number, limits: ConcurrencyLimit[] = []) {
      for (let i = 0; i < count; i++) await this.request(user, { limits })
    },
    /** Ends a task and returns the tasks that start then. */
    async end(...names: string[]): Promise<string[]> {
      const before = new Set(running())
      for (const name of names) {
        held.get(name)![Symbol.dispose]()
        held.delete(name)
      }
      await settle()
      return running().filter((name) => !before.has(name))
    },
    settle,
  }
}

describe('one user alone', () => {
  test.each([1, 2, 8, 64])('gets all %d slots', async (total) => {
    const harness = openHarness(total)
    await harness.flood('ann', total + 5)
    expect(harness.running()).toHaveLength(total)
  })

  test('is served in order', async () => {
    const harness = openHarness(1)
    await harness.flood('ann', 4)
    expect(await harness.end('ann1')).toEqual(['ann2'])
    expect(await harness.end('ann2')).toEqual(['ann3'])
    expect(await harness.end('ann3')).toEqual(['ann4'])
  })

  test('leaves no slot idle when several are released together', async () => {
    const harness = openHarness(4)
    await harness.flood('ann', 10)
    expect(await harness.end('ann1', 'ann2', 'ann3')).toEqual(['ann5', 'ann6', 'ann7'])
  })
})

describe('among several users', () => {
  test('a new user starts immediately in a reserve slot', async () => {
    const harness = openHarness(2)
    await harness.flood('ann', 10)
    await harness.request('bob')
    expect(harness.running()).toEqual(['ann1', 'ann2', 'bob1'])
  })

  test.each([
    [1, 1],
    [16, 1],
    [31, 1],
    [32, 2],
    [256, 16],
  ])('no more start above %d slots than %d', async (total, reserve) => {
    const harness = openHarness(total)
    await harness.flood('ann', total + 1)
    for (let i = 0; i < reserve + 3; i++) await harness.request(`user${i}`)
    expect(harness.running()).toHaveLength(total + reserve)
  })

  test('the one with the fewest running tasks is next, even if others have waited longer', async () => {
    const harness = openHarness(4)
    await harness.flood('ann', 20)
    await harness.flood('bob', 3)
    expect(harness.running()).toEqual(['ann1', 'ann2', 'ann3', 'ann4', 'bob1'])
    // Five run with a limit of four: the first released slot is the reserve slot.
    expect(await harness.end('ann1')).toEqual([])
    expect(await harness.end('ann2')).toEqual(['bob2'])
    expect(await harness.end('ann3')).toEqual(['ann5'])
  })

  test('those with equally many running tasks are served in order of arrival', async () => {
    const harness = openHarness(1)
    await harness.request('cid')
    await harness.request('ann')
    await harness.request('bob')
    await harness.request('ann')
    await harness.request('bob')
    expect(harness.running()).toEqual(['cid1', 'ann1'])
    expect(await harness.end('cid1')).toEqual(['bob1'])
    expect(await harness.end('ann1', 'bob1')).toEqual(['ann2', 'bob2'])
  })

  test('one whose last task has ended may use the reserve again', async () => {
    const harness = openHarness(2)
    await harness.flood('ann', 5)
    await harness.flood('bob', 2)
    expect(await harness.end('bob1')).toEqual(['bob2'])
  })
})

describe('limits', () => {
  const host = { key: 'host', limit: 2 }

  test('of one key leave the slots of others free', async () => {
    const harness = openHarness(4)
    await harness.flood('ann', 4, [host])
    await harness.request('ann')
    expect(harness.running()).toEqual(['ann1', 'ann2', 'ann5'])
    expect(await harness.end('ann5')).toEqual([])
    expect(await harness.end('ann1')).toEqual(['ann3'])
  })

  test('have their own reserve', async () => {
    const harness = openHarness(8)
    await harness.flood('ann', 5, [host])
    // Bob has running tasks, but none at this host.
    await harness.request('bob')
    await harness.flood('bob', 2, [host])
    expect(harness.running()).toEqual(['ann1', 'ann2', 'bob1', 'bob2'])
  })

  test('apply together to a task under several', async () => {
    const harness = openHarness(8)
    const address = { key: 'address', limit: 3 }
    await harness.flood('ann', 2, [host, address])
    await harness.flood('ann', 2, [{ key: 'other host', limit: 2 }, address])
    expect(harness.running()).toEqual(['ann1', 'ann2', 'ann3'])
    expect(await harness.end('ann1')).toEqual(['ann4'])
  })

  test('let two tasks start when one ends that was under both of their limits', async () => {
    const harness = openHarness(8)
    const [a, b] = [
      { key: 'a', limit: 1 },
      { key: 'b', limit: 1 },
    ]
    await harness.request('ann', { limits: [a, b] })
    await harness.request('ann', { limits: [a] })
    await harness.request('ann', { limits: [b] })
    expect(await harness.end('ann1')).toEqual(['ann2', 'ann3'])
  })

  test('are deleted with their last task', async () => {
    const harness = openHarness(8)
    await harness.request('ann', { limits: [{ key: 'host', limit: 1 }] })
    await harness.end('ann1')
    await harness.flood('ann', 2, [{ key: 'host', limit: 2 }])
    expect(harness.running()).toEqual(['ann2', 'ann3'])
  })
})

describe('an aborted task', () => {
  test('is skipped, in the total and under a key', async () => {
    for (const limits of [[], [{ key: 'host', limit: 1 }]]) {
      const harness = openHarness(limits.length === 0 ? 1 : 8)
      const gone = new AbortController()
      await harness.request('ann', { limits })
      await harness.request('ann', { limits, signal: gone.signal })
      await harness.request('ann', { limits })
      gone.abort(new Error('gone'))
      await harness.settle()
      expect(harness.refused).toEqual(['ann2: gone'])
      expect(await harness.end('ann1')).toEqual(['ann3'])
    }
  })

  test('releases a slot that was granted at the same time', async () => {
    const slots = createSlots({ total: 1 })
    const request = { user: 'ann', limits: [] }
    const held = await slots.take(request, NEVER)
    const gone = new AbortController()
    const given = slots.take(request, gone.signal).catch((error: unknown) => error)
    const next = slots.take(request, NEVER)
    held[Symbol.dispose]()
    gone.abort(new Error('gone'))
    expect(await given).toBeInstanceOf(Error)
    using _slot = await next
  })

  test('gets no slot when it was aborted before', async () => {
    const harness = openHarness(1)
    await harness.request('ann', { signal: AbortSignal.abort(new Error('gone')) })
    expect(harness.refused).toEqual(['ann1: gone'])
    await harness.request('ann')
    expect(harness.running()).toEqual(['ann2'])
  })
})

test('a task in a reserve slot is reported as waiting', async () => {
  const slots = createSlots({ total: 1 })
  expect(slots.load()).toEqual({ active: 0, waiting: 0, limit: 1 })
  using _ann = await slots.take({ user: 'ann', limits: [] }, NEVER)
  expect(slots.load()).toEqual({ active: 1, waiting: 0, limit: 1 })
  using _bob = await slots.take({ user: 'bob', limits: [] }, NEVER)
  void slots.take({ user: 'bob', limits: [] }, NEVER)
  expect(slots.load()).toEqual({ active: 1, waiting: 2, limit: 1 })
})

describe('the queue is bounded', () => {
  test('to 16 tasks per slot', async () => {
    const harness = openHarness(2)
    await harness.flood('ann', 2 + 2 * 16)
    expect(harness.refused).toEqual([])
    await harness.request('ann')
    expect(harness.refused).toEqual(['ann35: Failed to fetch URL: too many requests are waiting'])
  })

  test('and the user who fills it makes room for others', async () => {
    const harness = openHarness(2)
    await harness.flood('ann', 2 + 2 * 16)
    await harness.flood('bob', 3)
    expect(harness.running()).toEqual(['ann1', 'ann2', 'bob1'])
    expect(harness.refused).toEqual([
      'ann34: Failed to fetch URL: too many requests are waiting',
      'ann33: Failed to fetch URL: too many requests are waiting',
    ])
    await harness.request('ann')
    expect(harness.refused.at(-1)).toBe('ann35: Failed to fetch URL: too many requests are waiting')
  })

  test('until the users who fill it have as many tasks in it as the new one', async () => {
    const harness = openHarness(1)
    await harness.flood('ann', 1 + 16)
    await harness.flood('bob', 1 + 20)
    const refusedOf = (user: string) => harness.refused.filter((line) => line.startsWith(user)).length
    expect([refusedOf('ann'), refusedOf('bob')]).toEqual([8, 12])
  })

  test('and a user does not exchange places with another one who has one task more', async () => {
    const harness = openHarness(1)
    await harness.flood('ann', 1 + 8)
    await harness.flood('cid', 1 + 1)
    await harness.flood('bob', 7)
    expect([harness.running(), harness.refused]).toEqual([['ann1', 'cid1'], []])
    await harness.request('bob')
    expect(harness.refused).toEqual(['bob8: Failed to fetch URL: too many requests are waiting'])
  })
})
