import { describe, expect, test } from 'bun:test'

import type { QuotaUnit, QuotaResult, UsageBatch } from '../../../src/core/usage/ports.ts'
import { createUsageMeter } from '../../../src/service/usage/usage-meter.ts'

const unit: QuotaUnit = { userId: 'u1', keyId: 'k1', month: '2026-11' }

/** A meter with a store; the test ends the turns and completes the batches. */
function setUp() {
  const batches: { batch: UsageBatch; outcome: PromiseWithResolvers<readonly QuotaResult[]> }[] = []
  const turns: (() => void)[] = []
  const reports: unknown[] = []
  const meter = createUsageMeter({
    usage: {
      apply(batch) {
        const outcome = Promise.withResolvers<readonly QuotaResult[]>()
        batches.push({ batch, outcome })
        return outcome.promise
      },
    },
    endOfTurn: (run) => void turns.push(run),
    onBatch: (report) => void reports.push(report),
  })
  return { meter, batches, turns, reports }
}

const result = (used: number): QuotaResult => ({ taken: true, used })

describe('a batch', () => {
  test('contains the requests of one turn, and each gets its own result', async () => {
    const { meter, batches, turns } = setUp()
    const charged = meter.charge(unit, 10, 5)
    const reserved = meter.reserve(unit, 9)
    const settled = meter.settle(unit, 'failed', 6)
    expect([batches.length, turns.length]).toEqual([0, 1])
    turns[0]!()
    expect(batches.map(({ batch }) => batch)).toEqual([
      {
        requests: [
          { unit, limit: 10, chargedAtMs: 5 },
          { unit, limit: 9, chargedAtMs: null },
        ],
        settlements: [{ unit, outcome: 'failed', atMs: 6 }],
      },
    ])
    batches[0]!.outcome.resolve([result(1), result(2)])
    expect(await Promise.all([charged, reserved, settled])).toEqual([result(1), result(2), undefined])
  })

  test('is collected while another is being written, and written next', async () => {
    const { meter, batches, turns } = setUp()
    const first = meter.charge(unit, 10, 5)
    turns[0]!()
    const others = [meter.charge(unit, 10, 6), meter.charge(unit, 10, 7)]
    expect([batches.length, turns.length]).toEqual([1, 1])
    batches[0]!.outcome.resolve([result(1)])
    await first
    await Bun.sleep(0)
    turns[1]!()
    expect(batches[1]!.batch.requests).toHaveLength(2)
    batches[1]!.outcome.resolve([result(2), result(3)])
    expect(await Promise.all(others)).toEqual([result(2), result(3)])
    await Bun.sleep(0)
    expect(turns).toHaveLength(2)
  })

  test('that cannot be written fails only its own requests', async () => {
    const { meter, batches, turns } = setUp()
    const failed = Promise.allSettled([meter.charge(unit, 10, 5), meter.settle(unit, 'failed', 5)])
    turns[0]!()
    const next = meter.charge(unit, 10, 6)
    const fault = new Error('database is locked')
    batches[0]!.outcome.reject(fault)
    const rejected = { status: 'rejected' as const, reason: fault }
    expect(await failed).toEqual([rejected, rejected])
    await Bun.sleep(0)
    turns[1]!()
    batches[1]!.outcome.resolve([result(1)])
    expect(await next).toEqual(result(1))
  })

  test('rejects requests beyond the maximum that may wait', async () => {
    const { meter } = setUp()
    for (let i = 0; i < 20_000; i++) void meter.reserve(unit, 1)
    await expect(meter.reserve(unit, 1)).rejects.toThrow('20000 requests are already waiting for the database')
    await expect(meter.settle(unit, 'failed', 1)).rejects.toThrow('20000 requests are already waiting')
  })
})

test('each batch is reported with its size, and whether it was committed', async () => {
  const { meter, batches, turns, reports } = setUp()
  const charged = meter.charge(unit, 10, 5)
  const settled = meter.settle(unit, 'failed', 6)
  turns[0]!()
  batches[0]!.outcome.resolve([result(1)])
  await Promise.all([charged, settled])
  const refused = meter.charge(unit, 10, 5)
  turns[1]!()
  batches[1]!.outcome.reject(new Error('locked'))
  await expect(refused).rejects.toThrow('locked')
  const durationMs = expect.any(Number)
  expect(reports).toEqual([
    { size: 2, durationMs, isCommitted: true },
    { size: 1, durationMs, isCommitted: false },
  ])
})
