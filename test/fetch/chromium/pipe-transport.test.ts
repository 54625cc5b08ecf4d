import { describe, expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'

import { createPipeTransport } from '../../../src/fetch/chromium/pipe-transport.ts'
import { MAX_EVENTS } from '../../../src/fetch/chromium/limits.ts'
import { LONG_MESSAGES, partsOf } from './long-messages.ts'

/** A transport with the test at the other end. */
function openPair() {
  const [toChromium, fromChromium] = [new PassThrough(), new PassThrough()]
  const received: object[] = []
  let closings = 0
  const transport = createPipeTransport(toChromium, fromChromium)
  // As playwright does.
  Object.assign(transport, { onmessage: (message: object) => received.push(message), onclose: () => closings++ })
  return {
    transport,
    toChromium,
    fromChromium,
    received: received,
    closings: () => closings,
    async say(...chunks: (string | Buffer)[]) {
      for (const chunk of chunks) fromChromium.write(chunk)
      await Bun.sleep(0)
    },
  }
}

describe('messages', () => {
  test.each<[name: string, chunks: string[]]>([
    ['one by one', ['{"id":1}\0', '{"id":2}\0']],
    ['in one piece', ['{"id":1}\0{"id":2}\0']],
    ['in pieces', ['{"i', 'd":1', '}\0{"id":', '2}', '\0']],
    ['byte by byte', [...'{"id":1}\0{"id":2}\0']],
  ])('%s', async (_, chunks) => {
    const pair = openPair()
    await pair.say(...chunks)
    expect(pair.received).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('a character split between two chunks', async () => {
    const pair = openPair()
    const bytes = Buffer.from('{"id":1,"text":"é☕"}\0')
    await pair.say(bytes.subarray(0, 10), bytes.subarray(10, 12), bytes.subarray(12))
    expect(pair.received).toEqual([{ id: 1, text: 'é☕' }])
  })

  test('are sent with a NUL', () => {
    const pair = openPair()
    pair.transport.send({ id: 1, method: 'Browser.getVersion' })
    expect(String(pair.toChromium.read())).toBe('{"id":1,"method":"Browser.getVersion"}\0')
  })
})

test.each(['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'])(
  'events that pages can send without limit are dropped: %s',
  async (method) => {
    const pair = openPair()
    await pair.say(`{"method":"${method}","params":{}}\0{"method":"Page.loadEventFired"}\0`)
    expect(pair.received).toEqual([{ method: 'Page.loadEventFired' }])
  },
)

describe('messages that are too long', () => {
  test.each(LONG_MESSAGES)('%s', async (_, start, length, isDelivered) => {
    const pair = openPair()
    // The first chunk ends within the method.
    for (const part of partsOf(start, length)) await pair.say(part)
    await pair.say('\0{"id":2}\0')
    expect(pair.received.at(-1)).toEqual({ id: 2 })
    expect(pair.received).toHaveLength(isDelivered ? 2 : 1)
    expect(pair.closings()).toBe(0)
  })
})

test.each([
  'Fetch.requestPaused',
  'Page.lifecycleEvent',
  'Page.documentOpened',
  'Page.domContentEventFired',
  'Page.loadEventFired',
])('only the first events of a session are delivered, and then its script is interrupted: %s', async (limited) => {
  const pair = openPair()
  const eventOf = (session: string) => `{"method":"${limited}","params":{},"sessionId":"${session}"}\0`
  for (let i = 0; i < MAX_EVENTS + 200; i++) pair.fromChromium.write(eventOf('A'))
  await pair.say(eventOf('B'), '{"method":"Page.frameNavigated","params":{},"sessionId":"A"}\0')
  const received = pair.received as { method: string; sessionId: string }[]
  const isLimited = ({ method, sessionId }: (typeof received)[0]) => method === limited && sessionId === 'A'
  expect(received.filter(isLimited)).toHaveLength(MAX_EVENTS)
  expect(received.slice(-2)).toMatchObject([{ sessionId: 'B' }, { method: 'Page.frameNavigated' }])
  const sent = String(pair.toChromium.read()).split('\0').slice(0, -1)
  expect(sent.map((text) => JSON.parse(text) as object)).toMatchObject([
    { method: 'Runtime.terminateExecution', sessionId: 'A' },
  ])
})

test('the end is reported once', async () => {
  const pair = openPair()
  pair.fromChromium.destroy()
  pair.toChromium.destroy(new Error('EPIPE'))
  await Bun.sleep(1)
  expect(pair.closings()).toBe(1)
})

test('a connection that closed early is reported to a listener that is added later', async () => {
  const fromChromium = new PassThrough()
  const transport = createPipeTransport(new PassThrough(), fromChromium)
  fromChromium.destroy()
  await Bun.sleep(1)
  let closings = 0
  Object.assign(transport, { onclose: () => closings++ })
  await Bun.sleep(0)
  expect(closings).toBe(1)
})

describe('an invalid message ends the connection and is reported', () => {
  test.each([
    ['random bytes', '\x00\xff\xfe'],
    ['text', 'hello'],
    ['half a message', '{"id":1'],
    ['nothing', ''],
    ['null', 'null'],
    ['a number', '7'],
    ['a list', '[]'],
    ['another object', '{}'],
    ['an invalid id', '{"id":"1"}'],
    ['an invalid method', '{"method":7}'],
    ['invalid parameters', '{"method":"Page.x","params":7}'],
  ])('%s', async (_, text) => {
    const pair = openPair()
    await pair.say(`${text}\0{"id":1}\0`)
    expect({ received: pair.received, closings: pair.closings(), isOpen: pair.transport.isOpen() }).toEqual({
      received: [],
      closings: 1,
      isOpen: false,
    })
    expect(pair.transport.fault()).toContain('it sent an invalid DevTools message: "')
  })

  test('one that Playwright rejects', async () => {
    const pair = openPair()
    const onmessage = async () => {
      throw new Error('no such command')
    }
    Object.assign(pair.transport, { onmessage })
    await pair.say('{"id":99}\0')
    expect({ closings: pair.closings(), fault: pair.transport.fault() }).toMatchObject({
      closings: 1,
      fault: expect.stringContaining('99'),
    })
  })
})
