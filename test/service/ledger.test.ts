import { expect, test } from 'bun:test'

import type { Ending, Slot, Usage } from '../../src/core/usage-ports.ts'
import { createLedger } from '../../src/service/ledger.ts'

const slot: Slot = { userId: 'u1', keyId: 'k1', month: '2026-11' }

/** Usage that can be written, or not. */
function usageThat(state: { works: boolean }) {
  const written: [Ending, number][] = []
  const settle: Usage['settle'] = async (_, ending, atMs) => {
    if (!state.works) throw new Error('database is locked')
    written.push([ending, atMs])
  }
  return { written, usage: { settle } as Usage }
}

test('what can be written is written at once', async () => {
  const { usage, written } = usageThat({ works: true })
  await using ledger = createLedger({ usage, now: () => 7, onFault: () => {} })
  await ledger.settle(slot, 'failed')
  expect(written).toEqual([['failed', 7]])
})

test('what cannot be written now is told, kept, and written before the end, with its own time', async () => {
  const state = { works: false }
  const { usage, written } = usageThat(state)
  const faults: unknown[] = []
  let nowMs = 7
  {
    await using ledger = createLedger({ usage, now: () => nowMs++, onFault: (error) => faults.push(error) })
    await ledger.settle(slot, 'failed')
    await ledger.settle(slot, 'answered_fresh')
    expect([written, faults.length]).toEqual([[], 2])
    state.works = true
  }
  expect(written).toEqual([
    ['failed', 7],
    ['answered_fresh', 8],
  ])
})

test('what cannot be written at the end either is told', async () => {
  const { usage, written } = usageThat({ works: false })
  const faults: unknown[] = []
  {
    await using ledger = createLedger({ usage, now: () => 7, onFault: (error) => faults.push(error) })
    await ledger.settle(slot, 'failed')
  }
  expect([written, faults.length]).toEqual([[], 2])
})
