import { expect, test } from 'bun:test'

import { connect } from '../../../src/fetch/pool/calls.ts'

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
