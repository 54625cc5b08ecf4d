import { expect, test } from 'bun:test'

import { FetchError } from '../../../src/core/errors.ts'
import { connect, errorOf, fieldsOf } from '../../../src/fetch/pool/calls.ts'

test('a call is aborted in the other thread, but not after its result', async () => {
  const { port1, port2 } = new MessageChannel()
  const sent: unknown[] = []
  port2.addEventListener('message', (event) => sent.push(...((event as MessageEvent).data as unknown[])))
  const calls = {
    echo: async (text: string) => text,
    wait: (_: null, signal: AbortSignal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'))),
  }
  connect(port2, calls)
  const remote = connect<typeof calls>(port1, {})
  port1.start()
  port2.start()
  const caller = new AbortController()
  expect(await remote.call('echo', 'text', caller.signal)).toBe('text')
  const waiting = remote.call('wait', null, caller.signal)
  caller.abort()
  expect(await waiting).toBe('aborted')
  expect(sent).toEqual([
    ['echo', 1, 'text'],
    ['wait', 2, null],
    ['abort', 2, null],
  ])
  port1.close()
})

test('messages of one turn of the event loop are sent together', async () => {
  const sent: unknown[] = []
  const remote = connect<{ one(content: number): void }>(
    { postMessage: (message: unknown) => void sent.push(message), addEventListener() {} },
    {},
  )
  remote.tell('one', 1)
  remote.tell('one', 2)
  await new Promise((resolve) => setImmediate(resolve))
  remote.tell('one', 3)
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toEqual([
    [
      ['one', 0, 1],
      ['one', 0, 2],
    ],
    [['one', 0, 3]],
  ])
})

test('calls that fail reject with the error, and only calls without a result are aborted with the connection', async () => {
  const { port1, port2 } = new MessageChannel()
  const signals: AbortSignal[] = []
  const calls = {
    echo: (text: string, signal: AbortSignal) => (signals.push(signal), text),
    fail: () => Promise.reject(new FetchError('http_status', { siteStatus: 503 })),
    wait: (_: null, signal: AbortSignal) => (signals.push(signal), new Promise<never>(() => {})),
  }
  const local = connect(port2, calls)
  const remote = connect<typeof calls>(port1, {})
  port1.start()
  port2.start()
  const waiting = remote.call('wait', null).catch((error: unknown) => error)
  expect(await remote.call('echo', 'text')).toBe('text')
  expect(await remote.call('fail', null).catch((error: unknown) => error)).toMatchObject({ siteStatus: 503 })
  expect(remote.pending()).toBe(1)
  const gone = new Error('the thread has ended')
  local.fail(gone)
  expect(signals.map(({ reason }) => reason)).toEqual([gone, undefined])
  remote.fail(gone)
  expect(await waiting).toBe(gone)
  port1.close()
})

test.each<[name: string, error: unknown, fields: object]>([
  [
    'its code',
    new FetchError('timeout', { cause: Object.assign(new Error('x'), { code: 'ETIMEDOUT' }) }),
    { failure: 'timeout', detail: 'ETIMEDOUT' },
  ],
  ['no code', new FetchError('timeout', { cause: new Error('x') }), { failure: 'timeout', detail: undefined }],
  ['a detail', new FetchError('timeout', { cause: { code: 'A' }, detail: 'B' }), { failure: 'timeout', detail: 'B' }],
  ['a status', new FetchError('http_status', { siteStatus: 503 }), { failure: 'http_status', siteStatus: 503 }],
])('an error with %s is the same in another thread', (_, error, fields) => {
  const sent = structuredClone(fieldsOf(error))
  expect(sent).toMatchObject(fields)
  expect(errorOf(sent)).toBeInstanceOf(FetchError)
  expect(errorOf(sent)).toMatchObject({ ...fields, message: (error as FetchError).message })
})

test.each<[name: string, error: unknown, text: string | RegExp]>([
  ['an error', new TypeError('a defect'), /TypeError: a defect\n +at /],
  ['another value', 'text', 'in another thread: text'],
])('%s that no function expects has its text in another thread', (_, error, text) => {
  const received = errorOf(structuredClone(fieldsOf(error)))
  expect(received).not.toBeInstanceOf(FetchError)
  expect(received.message).toMatch(text)
})
