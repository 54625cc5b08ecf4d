import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

import { startHop } from '../../../src/core/fetch/trace.ts'
import { Connection } from '../../../src/fetch/connection/connections.ts'
import { exchange } from '../../../src/fetch/connection/exchange.ts'
import { requestBytes } from '../../../src/fetch/connection/request-head.ts'

const URL_OF_PAGE = new URL('http://site.test:8080/a?b=c#d')

describe('a request', () => {
  const linesOf = (headers: Record<string, string>, body?: string) =>
    requestBytes({ url: URL_OF_PAGE, headers, ...(body !== undefined && { body }) })
      .toString('latin1')
      .split('\r\n')

  test('has its fields, and the host of the URL first', () => {
    expect(linesOf({ Accept: '*/*', 'X-Key': 'caf\xe9' })).toEqual([
      'GET /a?b=c HTTP/1.1',
      'Host: site.test:8080',
      'Accept: */*',
      'X-Key: caf\xe9',
      'Connection: keep-alive',
      '',
      '',
    ])
  })

  test('with a body is a POST with its length in bytes', () => {
    const lines = linesOf({}, '{"a":"é"}')
    expect(lines[0]).toBe('POST /a?b=c HTTP/1.1')
    expect(lines).toContain('Content-Length: 10')
  })

  test('has the last of fields whose names differ in case only', () => {
    expect(linesOf({ Accept: 'text/html', accept: 'application/json' })).toEqual([
      'GET /a?b=c HTTP/1.1',
      'Host: site.test:8080',
      'accept: application/json',
      'Connection: keep-alive',
      '',
      '',
    ])
  })

  test.each(['a\r\nX: y', 'a\nb', 'a\0b', 'a\x7fb', '日本'])('with %j in a field is not sent', (value) => {
    expect(() => linesOf({ Cookie: value })).toThrow('the header Cookie has a character that cannot be sent')
  })
})

test('a request that was aborted before it is sent leaves nothing behind', async () => {
  const socket = Object.assign(new EventEmitter(), { write: () => true, destroy() {}, destroyed: false })
  const opened = { socket: socket as unknown as Socket, transport: socket as unknown as Socket, address: '192.0.2.1' }
  const connection = new Connection(opened, () => false)
  const before = socket.eventNames().length
  const signal = AbortSignal.abort(new Error('aborted'))
  const hop = startHop(URL_OF_PAGE, 'caller')
  await expect(exchange(connection, { url: URL_OF_PAGE, headers: {}, hop, signal }, () => {})).rejects.toThrow(
    'aborted',
  )
  expect(socket.eventNames()).toHaveLength(before)
})
