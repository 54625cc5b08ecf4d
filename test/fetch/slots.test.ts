import { describe, expect, test } from 'bun:test'

import { createSlots } from '../../src/fetch/slots.ts'

const PATIENT = new AbortController().signal

/** Slots in which every key has the same limit. */
function slotsOf({ total, perKey }: { total: number; perKey: number }) {
  const slots = createSlots({ total })
  return { take: (key: string, signal: AbortSignal) => slots.take([{ key, limit: perKey }], signal) }
}

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => (settled = true),
    () => (settled = true),
  )
  await Bun.sleep(1)
  return settled
}

describe('slots', () => {
  test('are handed on in the order they were asked for', async () => {
    const slots = slotsOf({ total: 1, perKey: 1 })
    const first = await slots.take('a', PATIENT)
    const order: string[] = []
    const waiting = ['b', 'c', 'd'].map(async (key) => {
      using _slot = await slots.take(key, PATIENT)
      order.push(key)
    })
    first[Symbol.dispose]()
    await Promise.all(waiting)
    expect(order).toEqual(['b', 'c', 'd'])
  })

  test('of one key do not use up those of others', async () => {
    const slots = slotsOf({ total: 3, perKey: 2 })
    const a = await Promise.all([slots.take('a', PATIENT), slots.take('a', PATIENT)])
    const third = slots.take('a', PATIENT)
    expect(await isSettled(third)).toBe(false)
    using _b = await slots.take('b', PATIENT)
    a[0][Symbol.dispose]()
    expect(await isSettled(third)).toBe(true)
  })

  test('are bounded in all', async () => {
    const slots = slotsOf({ total: 2, perKey: 2 })
    const a = await slots.take('a', PATIENT)
    await slots.take('b', PATIENT)
    const c = slots.take('c', PATIENT)
    expect(await isSettled(c)).toBe(false)
    a[Symbol.dispose]()
    expect(await isSettled(c)).toBe(true)
  })

  test.each([
    ['its key', { total: 10, perKey: 1 }],
    ['all', { total: 1, perKey: 10 }],
  ])('one that is no longer waited for is not lost, in the queue of %s', async (_name, limits) => {
    const slots = slotsOf(limits)
    const held = await slots.take('a', PATIENT)
    const controller = new AbortController()
    const reason = new Error('gone')
    const given = slots.take('a', controller.signal).catch((error: unknown) => error)
    const patient = slots.take('a', PATIENT)
    controller.abort(reason)
    expect(await given).toBe(reason)
    expect(await isSettled(patient)).toBe(false)
    held[Symbol.dispose]()
    using _slot = await patient
  })

  test('one that arrives in the moment of giving up is passed on', async () => {
    const slots = slotsOf({ total: 1, perKey: 1 })
    const held = await slots.take('a', PATIENT)
    const controller = new AbortController()
    const given = slots.take('a', controller.signal).catch((error: unknown) => error)
    const patient = slots.take('a', PATIENT)
    controller.abort(new Error('gone'))
    held[Symbol.dispose]()
    expect(await given).toBeInstanceOf(Error)
    using _slot = await patient
  })

  test('are not given to who has gone already', async () => {
    const slots = slotsOf({ total: 1, perKey: 1 })
    await expect(slots.take('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    using _slot = await slots.take('a', PATIENT)
  })

  test('are held in every share they belong to, and given back in all', async () => {
    const slots = createSlots({ total: 10 })
    const host = { key: 'host', limit: 2 }
    const of = (caller: string) => [{ key: caller, limit: 1 }, host]
    const jo = await slots.take(of('jo'), PATIENT)
    const joAgain = slots.take(of('jo'), PATIENT)
    expect(await isSettled(joAgain)).toBe(false)
    // Jo, who waits for his own turn, takes nothing from the host's slots.
    const ann = await slots.take(of('ann'), PATIENT)
    jo[Symbol.dispose]()
    expect(await isSettled(joAgain)).toBe(true)
    const bob = slots.take(of('bob'), PATIENT)
    expect(await isSettled(bob)).toBe(false)
    ann[Symbol.dispose]()
    expect(await isSettled(bob)).toBe(true)
  })
})
