import { describe, expect, test } from 'bun:test'
import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'

import { FetchError } from '../../../src/core/errors.ts'
import { ResponseReader } from '../../../src/fetch/connection/response-reader.ts'
import { randomOf } from '../../differential/random.ts'
import { randomRuns } from '../../random-runs.ts'

/** A socket whose bytes come from a test. */
class FakeSocket extends EventEmitter {
  destroyed = false
  pause() {}
  resume() {}
  destroy() {
    this.destroyed = true
  }
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`

interface Shape {
  bytes: string
  /** The body, or how the response fails before or within it. */
  expected: { body: string } | { failure: string } | { body: string; failure: string }
  /** Whether the connection may be kept; absent if the response does not reach its end. */
  isKept?: boolean
}

/** Responses of all kinds, each of which is followed by the end of its connection. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'with a length': { bytes: `${OK}Content-Length: 5\r\n\r\nabcde`, expected: { body: 'abcde' }, isKept: true },
  'without a body': { bytes: `${OK}Content-Length: 0\r\n\r\n`, expected: { body: '' }, isKept: true },
  'with a status that has no body': {
    bytes: 'HTTP/1.1 204 No Content\r\n\r\n',
    expected: { body: '' },
    isKept: false,
  },
  'until the end of the connection': { bytes: `${OK}\r\nabcde`, expected: { body: 'abcde' }, isKept: false },
  'in chunks': {
    bytes: `${CHUNKED}3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n`,
    expected: { body: 'abcde' },
    isKept: true,
  },
  'in chunks, with trailers': {
    bytes: `${CHUNKED}3\r\nabc\r\n0\r\nA: b\r\nstray\r\n\r\n`,
    expected: { body: 'abc' },
    isKept: true,
  },
  'in chunks that do not end': {
    bytes: `${CHUNKED}5\r\nabc`,
    expected: { body: 'abc', failure: 'invalid_response' },
  },
  'in chunks of which one is invalid': {
    bytes: `${CHUNKED}3\r\nabc\r\nzz\r\n`,
    expected: { body: 'abc', failure: 'invalid_response' },
  },
  'cut within its length': {
    bytes: `${OK}Content-Length: 10\r\n\r\nabcde`,
    expected: { body: 'abcde', failure: 'invalid_response' },
  },
  'after interim responses': {
    bytes: `HTTP/1.1 103 x\r\nLink: </a>\r\n\r\nHTTP/1.1 100 x\r\n\r\n${OK}Content-Length: 2\r\n\r\nab`,
    expected: { body: 'ab' },
    isKept: true,
  },
  'with bytes after it': { bytes: `${OK}Content-Length: 2\r\n\r\nab${OK}`, expected: { body: 'ab' }, isKept: false },
  'with junk before it': {
    bytes: `\r\n\r\n${OK}Content-Length: 2\r\n\r\nab`,
    expected: { body: 'ab' },
    isKept: true,
  },
  'with a head that does not end': { bytes: `${OK}A: b\r\n`, expected: { body: '' }, isKept: false },
  'with a head that ends before its body': {
    bytes: `${OK}Content-Length: 5\r\nA: b\r\n`,
    expected: { body: '', failure: 'invalid_response' },
  },
  'with an interim head that does not end': {
    bytes: 'HTTP/1.1 103 x\r\nLink: </a>\r\n',
    expected: { failure: 'connection_reset' },
  },
  'with a head that ends within its status line': { bytes: 'HTTP/1.1 200', expected: { failure: 'connection_reset' } },
  'with line feeds alone': {
    bytes: `${OK}Content-Length: 2\r\n\r\nab`.replaceAll('\r', ''),
    expected: { body: 'ab' },
    isKept: true,
  },
  'with folded and ignored lines': {
    bytes: `${OK}A: b\r\n  c\r\nX Y: z\r\nstray\r\nContent-Length: 1\r\n\r\na`,
    expected: { body: 'a' },
    isKept: true,
  },
  'that is not HTTP': { bytes: 'SSH-2.0-OpenSSH_9.2\r\n', expected: { failure: 'invalid_response' } },
  'that is empty': { bytes: '', expected: { failure: 'connection_reset' } },
}

/** What becomes of a response whose bytes arrive in these parts, after which the connection ends. */
async function outcomeOf(parts: readonly string[]) {
  const socket = new FakeSocket()
  const ends: boolean[] = []
  const reader = new ResponseReader(socket as unknown as Socket, {
    isEncrypted: false,
    onEnd: (mayBeKept) => ends.push(mayBeKept),
  })
  let body = ''
  const read = reader.response.then(async (response) => {
    const ended = once(response.body, 'end')
    response.body.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
    await ended
    const { status, fields, failure } = response
    return { status, fields: [...fields], failure: failure instanceof FetchError ? failure.failure : failure }
  })
  const outcome = read.catch((error: FetchError) => ({ failure: error.failure }))
  // The socket has no error, so any other error is a fault.
  for (const part of parts) socket.emit('data', Buffer.from(part, 'latin1'))
  socket.emit('end')
  socket.emit('close')
  return { ...(await outcome), body, ends, isAtEnd: ends.length > 0, listeners: socket.eventNames() }
}

describe('a response has the same result however its bytes arrive', () => {
  test.each(Object.entries(SHAPES))('%s', async (name, { bytes, expected, isKept }) => {
    const outcome = { ends: isKept === undefined ? [] : [isKept], isAtEnd: isKept !== undefined, ...expected }
    const whole = await outcomeOf([bytes])
    expect(whole).toMatchObject(outcome)
    if (!('failure' in expected)) expect(whole).toMatchObject({ failure: null })
    const cuts = Array.from({ length: bytes.length }, (_, at) => [bytes.slice(0, at), bytes.slice(at)])
    for (const parts of [...cuts, bytes.split('')]) {
      // Bytes after a response that arrive later close the connection when it is idle.
      const { ends } = whole
      const other = await outcomeOf(parts)
      expect(name === 'with bytes after it' ? { ...other, ends } : other).toEqual(whole)
    }
  })
})

test('random changes of responses end in a response or a FetchError', async () => {
  const random = randomOf(20_261_128)
  const shapes = Object.values(SHAPES).map(({ bytes }) => bytes)
  const pieces = [
    '\r',
    '\n',
    '\r\n\r\n',
    ':',
    ' ',
    '0',
    'f',
    ';',
    '\0',
    '\xff',
    'HTTP/1.1 ',
    'Content-Length: 1\r\n',
    '',
  ]
  for (let i = randomRuns(10_000); i > 0; i--) {
    let bytes = shapes[random.below(shapes.length)]!
    for (let changes = random.below(4); changes >= 0; changes--) {
      const at = random.below(bytes.length + 1)
      bytes = bytes.slice(0, at) + pieces[random.below(pieces.length)]! + bytes.slice(at + random.below(4))
    }
    const at = random.below(bytes.length + 1)
    const { failure, ends, listeners } = await outcomeOf([bytes.slice(0, at), bytes.slice(at)])
    expect(failure === null || failure !== undefined, JSON.stringify(bytes)).toBe(true)
    expect(ends.length).toBeLessThanOrEqual(1)
    expect(listeners).toEqual([])
  }
})
