import { expect, test } from 'bun:test'

import type { KeyOwner, Keys } from '../../src/core/account-ports.ts'
import { rememberKeys } from '../../src/store/sqlite/key-memory.ts'

/** A memory before a store whose look-ups are counted, in turns that end when the test says so. */
function setUp() {
  const holder: KeyOwner = { keyId: 'k1', userId: 'u1', plan: 'free' }
  const state = { holder: holder as KeyOwner | null, version: 1, lookUps: 0, versionChecks: 0 }
  let ends: (() => void)[] = []
  const behind = {
    async findActive() {
      state.lookUps++
      return state.holder
    },
    list: async () => [],
    deactivate: async () => ((state.holder = null), null),
  } satisfies Partial<Keys>
  const memory = rememberKeys({
    keys: behind as Partial<Keys> as Keys,
    dataVersion: () => (state.versionChecks++, state.version),
    endOfTurn: (run) => void ends.push(run),
  })
  const endTurn = () => {
    for (const end of ends) end()
    ends = []
  }
  return { memory, state, endTurn, holder }
}

test('a key is looked up once, and the version once in each turn', async () => {
  const { memory, state, endTurn, holder } = setUp()
  for (let turn = 0; turn < 3; turn++) {
    for (let i = 0; i < 5; i++) expect(await memory.keys.findActive('h')).toEqual(holder)
    endTurn()
  }
  expect(state).toMatchObject({ lookUps: 1, versionChecks: 3 })
})

test('what another connection has committed counts from the next turn on', async () => {
  const { memory, state, endTurn } = setUp()
  await memory.keys.findActive('h')
  state.holder = null
  state.version = 2
  endTurn()
  expect(await memory.keys.findActive('h')).toBeNull()
})

test('an own change counts at once, in the same turn', async () => {
  const { memory } = setUp()
  await memory.keys.findActive('h')
  await memory.keys.deactivate('k1', 1)
  expect(await memory.keys.findActive('h')).toBeNull()
})

test('so does one by another store of the same connection, and one that failed', async () => {
  const { memory, state } = setUp()
  const users = memory.forgetting({ find: async () => null, suspend: () => Promise.reject(new Error('locked')) }, [
    'find',
  ])
  await memory.keys.findActive('h')
  await users.find()
  await memory.keys.list()
  await memory.keys.findActive('h')
  expect(state.lookUps).toBe(1)
  await users.suspend().catch(() => null)
  await memory.keys.findActive('h')
  expect(state.lookUps).toBe(2)
})

test('an unknown key is not remembered', async () => {
  const { memory, state, holder } = setUp()
  state.holder = null
  expect(await memory.keys.findActive('h')).toBeNull()
  state.holder = holder
  expect(await memory.keys.findActive('h')).toEqual(holder)
})

test('a look-up that a change has overtaken is not remembered', async () => {
  const { memory, state } = setUp()
  const [found] = await Promise.all([memory.keys.findActive('h'), memory.keys.deactivate('k1', 1)])
  expect(found).not.toBeNull()
  expect(await memory.keys.findActive('h')).toBeNull()
  expect(state.lookUps).toBe(2)
})
