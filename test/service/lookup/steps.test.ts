import { describe, expect, test } from 'bun:test'

import { endPhases, type FetchTrace, startHop } from '../../../src/core/fetch/trace.ts'
import { timed } from '../../../src/fetch/response/timed.ts'
import { epochMs } from '../../../src/core/system.ts'
import { inStep } from '../../../src/service/lookup/steps.ts'

const hop = () => startHop(new URL('https://example.com/'), 'caller')

describe('a phase', () => {
  const never = () => new Promise<never>(() => {})

  test('that finishes is measured, and runs of the same phase are added', async () => {
    const measured = hop()
    measured.timing.tlsMs = 1_000
    expect(await timed(measured, 'tlsMs', async () => 'done')).toBe('done')
    expect([measured.phase, measured.timing]).toEqual([undefined, { tlsMs: expect.any(Number) }])
    expect(measured.timing.tlsMs).toBeWithin(1_000, 1_500)
  })

  test('that fails is measured and named', async () => {
    const failed = hop()
    await expect(timed(failed, 'connectMs', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
    expect([failed.phase, failed.timing]).toEqual([{ name: 'connectMs' }, { connectMs: expect.any(Number) }])
  })

  test('in progress is named and measured when nothing waits for it any more, once', () => {
    const waiting = hop()
    void timed(waiting, 'bodyMs', never)
    // As another thread receives it.
    const trace: FetchTrace = JSON.parse(JSON.stringify({ hops: [waiting] }))
    trace.hops[0]!.phase!.sinceMs! -= 500
    endPhases(trace, epochMs(performance))
    expect(trace.hops[0]!.timing.bodyMs).toBeWithin(500, 1_000)
    const ended = structuredClone(trace)
    endPhases(trace, epochMs(performance))
    expect([trace, ended.hops[0]!.phase]).toEqual([ended, { name: 'bodyMs' }])
  })

  test.each(['oembed', 'render', 'shared'] as const)('of the fetch, %s, is ended too', async (name) => {
    const trace: FetchTrace = { hops: [], ...(name === 'oembed' && { oembed: { hops: [], durationMs: 0 } }) }
    expect(await inStep(trace, name, async () => 1)).toBe(1)
    expect(trace.step).toBeUndefined()
    void inStep(trace, name, never)
    trace.step!.sinceMs! -= 500
    endPhases(trace, epochMs(performance))
    const { oembed, rendering, sharedMs } = trace
    expect(oembed?.durationMs ?? rendering?.durationMs ?? sharedMs).toBeWithin(500, 1_000)
    expect([trace.step, rendering?.failure]).toEqual([{ name }, name === 'render' ? 'out_of_time' : undefined])
  })
})
