import { afterEach, beforeEach, expect, jest, test } from 'bun:test'

import type { Budget } from '../../../src/core/fetch/ports.ts'
import { connect } from '../../../src/fetch/pool/calls.ts'
import type { MainCalls, WorkerCalls } from '../../../src/fetch/pool/messages.ts'
import { serveJobs } from '../../../src/fetch/pool/worker-end.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const REQUEST = { url: 'http://site.test/', userId: null, publicOnly: false, listsTags: false, needsBrowser: false }

test.each<[string, remainingMs: number, isFinished: boolean, at: number, progress: number]>([
  ['not before', 1_000, false, 849, 0],
  ['before the deadline', 1_000, false, 850, 1],
  ['once more shortly before it', 1_000, false, 970, 2],
  ['immediately when less time is left', 20, false, 0, 2],
  ['not after the reply', 1_000, true, 2_000, 0],
])('the trace of a page is sent %s', async (_, remainingMs, isFinished, at, progress) => {
  const { port1, port2 } = new MessageChannel()
  const reports: unknown[] = []
  const own: Pick<MainCalls, 'progress'> = { progress: (report) => reports.push(report) }
  const texts = { json: '{}', details: undefined, isProvisional: false }
  const page = Promise.withResolvers<typeof texts>()
  serveJobs(port2, () => ({ read: () => page.promise, configure() {} }))
  const remote = connect<WorkerCalls<null>>(port1, own)
  port1.start()
  port2.start()
  await remote.call('open', { settings: null, hasBrowser: false, current: new Int32Array(1) })
  const reading = remote.call('read', { job: 7, ...REQUEST, remainingMs, ownPorts: [] })
  await remote.call('ping', null)
  if (isFinished) {
    page.resolve(texts)
    expect(await reading).toEqual({ trace: '{"hops":[]}', texts })
  }
  jest.advanceTimersByTime(at)
  await remote.call('ping', null)
  await remote.call('ping', null)
  expect(reports).toEqual(Array.from({ length: progress }, () => ({ job: 7, trace: '{"hops":[]}' })))
  port1.close()
})

test('slots of both kinds are taken, none of them for a request that was aborted, and no time is left after the reply', async () => {
  const { port1, port2 } = new MessageChannel()
  const taken: unknown[] = []
  let budget: Budget | undefined
  serveJobs(port2, (_, { slots }) => ({
    async read(job) {
      ;({ budget } = job)
      await slots.pages.take({ user: null, limits: [] }, AbortSignal.abort()).catch(() => {})
      using _page = await slots.pages.take({ user: null, limits: [] }, job.budget.signal)
      using _icon = await slots.icons.take({ user: 'u1', limits: [] }, job.budget.signal)
      return { json: String(budget.remainingMs() > 0), details: undefined, isProvisional: false }
    },
    configure() {},
  }))
  const remote = connect<WorkerCalls<null>>(port1, {
    take: ({ of, request }: { of: string; request: object }) => void taken.push([of, request]),
    release() {},
  })
  port1.start()
  port2.start()
  await remote.call('open', { settings: null, hasBrowser: false, current: new Int32Array(1) })
  const reply = await remote.call('read', { job: 7, ...REQUEST, remainingMs: 1_000, ownPorts: [] })
  expect(reply).toMatchObject({ texts: { json: 'true' } })
  await remote.call('ping', null)
  expect(taken).toEqual([
    ['pages', { user: null, limits: [] }],
    ['icons', { user: 'u1', limits: [] }],
  ])
  expect(budget!.remainingMs()).toBe(0)
  port1.close()
})
