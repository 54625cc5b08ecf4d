import { describe, expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'

import { createPipeTransport } from '../../../src/fetch/chromium/pipe-transport.ts'

/** A transport whose other side is the test. */
function openPair() {
  const [toChromium, fromChromium] = [new PassThrough(), new PassThrough()]
  const heard: object[] = []
  let closings = 0
  let abandonments = 0
  const transport = createPipeTransport(toChromium, fromChromium, () => abandonments++)
  // As playwright does it.
  Object.assign(transport, { onmessage: (message: object) => heard.push(message), onclose: () => closings++ })
  return {
    transport,
    toChromium,
    fromChromium,
    heard,
    counts: () => ({ closings, abandonments }),
    async say(...chunks: (string | Buffer)[]) {
      for (const chunk of chunks) fromChromium.write(chunk)
      await Bun.sleep(0)
    },
  }
}

describe('messages', () => {
  test.each<[name: string, chunks: string[]]>([
    ['one by one', ['{"id":1}\0', '{"id":2}\0']],
    ['at once', ['{"id":1}\0{"id":2}\0']],
    ['in pieces', ['{"i', 'd":1', '}\0{"id":', '2}', '\0']],
    ['byte by byte', [...'{"id":1}\0{"id":2}\0']],
  ])('%s', async (_, chunks) => {
    const pair = openPair()
    await pair.say(...chunks)
    expect(pair.heard).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('a character split between two chunks', async () => {
    const pair = openPair()
    const bytes = Buffer.from('{"text":"é☕"}\0')
    await pair.say(bytes.subarray(0, 10), bytes.subarray(10, 12), bytes.subarray(12))
    expect(pair.heard).toEqual([{ text: 'é☕' }])
  })

  test('go out with a NUL', () => {
    const pair = openPair()
    pair.transport.send({ id: 1, method: 'Browser.getVersion' })
    expect(String(pair.toChromium.read())).toBe('{"id":1,"method":"Browser.getVersion"}\0')
  })
})

test.each(['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'])(
  'what pages can send without end is dropped: %s',
  async (method) => {
    const pair = openPair()
    await pair.say(`{"method":"${method}","params":{}}\0{"method":"Page.loadEventFired"}\0`)
    expect(pair.heard).toEqual([{ method: 'Page.loadEventFired' }])
  },
)

test('a message out of all bounds ends it, once', async () => {
  const pair = openPair()
  const megabyte = Buffer.alloc(1024 * 1024, 'x')
  for (let i = 0; i < 20; i++) await pair.say(megabyte)
  await pair.say('\0{"id":1}\0')
  expect(pair.counts()).toEqual({ closings: 1, abandonments: 1 })
  expect(pair.heard).toEqual([])
})

test('its end is told once', async () => {
  const pair = openPair()
  pair.fromChromium.destroy()
  pair.toChromium.destroy(new Error('EPIPE'))
  await Bun.sleep(1)
  expect(pair.counts()).toEqual({ closings: 1, abandonments: 0 })
})
