import { Database } from 'bun:sqlite'
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'

import { PATIENT_TEST_MS } from '../patience.ts'
import { type Body, startApp, type TestApp } from './app.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const STATELESS = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }

const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

let app: TestApp
let key: string
let title = '<title>A page</title>'
const NO_TITLE = expect.objectContaining({ subject: 'Title', severity: 'error' })
beforeAll(async () => {
  app = await startApp({
    origin: ({ url }) => (url.endsWith('/missing') ? new Response('', { status: 404 }) : page(title)),
  })
  key = await app.createKey()
})
afterAll(() => app[Symbol.asyncDispose]())

const page = (html: string) => new Response(html, { headers: { 'content-type': 'text/html' } })

const post = (body: unknown, headers: Record<string, string> = { 'x-api-key': key }) =>
  fetch(`${app.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const callOf = (given: object, name = 'get_metadata') => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
})

const usedOf = async (ownKey: string) => Number((await app.metadata(ownKey, '/used')).headers.get('x-monthly-used')) - 1

describe('the official client', () => {
  test.each<[name: string, mode: VersionNegotiationMode, headers: () => Record<string, string>]>([
    ['after a handshake', 'legacy', () => ({ 'X-API-Key': key })],
    ['after negotiation', 'auto', () => ({ 'X-API-Key': key })],
    ['without a handshake', { pin: '2026-07-28' }, () => ({ 'X-API-Key': key })],
    ['with the key as a bearer token', { pin: '2026-07-28' }, () => ({ Authorization: `Bearer ${key}` })],
  ])('calls the tool %s', async (_, mode, headers) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
      requestInit: { headers: headers() },
    })
    await client.connect(transport)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['get_metadata', 'check_page'])
    const url = `${app.origin}/page`
    const result = await client.callTool({ name: 'get_metadata', arguments: { url, fields: ['final_url'] } })
    expect(result.structuredContent).toMatchObject({ url, title: 'A page', extra: { final_url: url } })
    await client.close()
  })
})

describe('POST /mcp', () => {
  test('counts calls that succeed like requests of the API, with their headers, and nothing else', async () => {
    const own = await app.createKey('counting@example.com')
    const headers = { 'x-api-key': own }
    const used = await usedOf(own)
    const called = await post(callOf({ url: `${app.origin}/a` }), headers)
    expect(called.status).toBe(200)
    expect(called.headers.get('x-monthly-used')).toBe(String(used + 2))
    expect(called.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
    for (const method of ['initialize', 'server/discover', 'ping', 'tools/list'])
      expect((await post({ jsonrpc: '2.0', id: 1, method }, headers)).status).toBe(200)
    await post(callOf({ url: `${app.origin}/missing` }), headers)
    await post(callOf({ url: 'nonsense' }), headers)
    expect(await usedOf(own)).toBe(used + 2)
  })

  test('checks the link previews of a page as it is now, charged once', async () => {
    const own = await app.createKey('checking@example.com')
    const headers = { 'x-api-key': own }
    const url = `${app.origin}/checked`
    const checkOf = async () => {
      const response = await post(callOf({ url, apps: ['google'] }, 'check_page'), headers)
      const { result } = (await response.json()) as { result: { structuredContent: object } }
      return [response.headers.get('x-cache'), result.structuredContent]
    }
    const used = await usedOf(own)
    // This result is cached.
    await app.metadata(own, '/checked')
    const expected = {
      url,
      apps: [{ id: 'google', name: 'Google', state: 'fits', text: 'Search result' }],
      findings: expect.arrayContaining([expect.objectContaining({ subject: 'og:image', severity: 'warning' })]),
    }
    expect(await checkOf()).toEqual(['MISS', expected])
    title = '<title></title>'
    expect(await checkOf()).toEqual(['MISS', { ...expected, findings: expect.arrayContaining([NO_TITLE]) }])
    title = '<title>A page</title>'
    expect(await usedOf(own)).toBe(used + 4)
  })

  test.each<[name: string, path: string, settings: object, message: string]>([
    ['a page that is missing', '/missing', {}, 'Failed to fetch URL: HTTP 404'],
    ['a host that the key does not allow', '/page', { allowedHosts: ['a.example'] }, 'Host not allowed for this key'],
  ])('has no check of %s, and does not charge it', async (name, path, settings, message) => {
    const email = `${name.replaceAll(' ', '-')}@example.com`
    const own = await app.createKey(email, settings as never)
    const called = callOf({ url: app.origin + path }, 'check_page')
    const response = await post(called, { 'x-api-key': own })
    const { result } = (await response.json()) as { result: { isError: boolean; content: [{ text: string }] } }
    expect([result.isError, result.content[0].text]).toEqual([true, expect.stringContaining(message)])
    using database = new Database(join(app.dataDir, 'urlmeta.db'), { readonly: true })
    const used = database.query('SELECT used FROM monthly_usage JOIN users ON users.id = user_id WHERE email = ?')
    expect(used.all(email)).not.toContainEqual({ used: 1 })
  })

  test('counts against the minute of the key', async () => {
    const own = await app.createKey('minute@example.com')
    const call = async () => {
      const { result } = (await (await post(callOf({ url: `${app.origin}/a` }), { 'x-api-key': own })).json()) as Body
      return result as { isError?: boolean; content: { text: string }[] }
    }
    // The plan allows 10 requests per minute; a minute may begin between them.
    let refused = await call()
    for (let n = 0; n < 30 && !refused.isError; n++) refused = await call()
    expect(refused.content[0]!.text).toStartWith('Rate limit exceeded')
    const { headers } = await post(callOf({ url: `${app.origin}/a` }), { 'x-api-key': own })
    expect(Number(headers.get('retry-after'))).toBeWithin(0, 61)
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
  })

  test('describes calls in the log and in the log of the user, with their failures, and no other messages', async () => {
    const own = await app.createKey('logged@example.com')
    const headers = { 'x-api-key': own }
    const url = `${app.origin}/missing`
    for (const given of [{ url }, { url: 'nonsense' }, { timeout: 0 }, { url: `${app.origin}/page` }])
      await post(callOf(given), headers)
    await post(callOf({ url }, 'unknown'), headers)
    await post({ ...callOf({ url }), id: undefined }, headers)
    await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
    await post('{', headers)
    expect(await app.logged({ route: '/mcp', failure: 'http_status', siteStatus: 404 })).toMatchObject({ status: 200 })
    using database = new Database(join(app.dataDir, 'urlmeta.db'), { readonly: true })
    const rows = database.prepare<{ reason: string }, [string]>(
      `SELECT reason FROM request_log JOIN users ON users.id = user_id WHERE email = ? AND format = 'mcp'`,
    )
    // Rows are written once per second.
    while (rows.all('logged@example.com').length < 5) await Bun.sleep(5)
    expect(
      rows
        .all('logged@example.com')
        .map(({ reason }) => reason)
        .toSorted(),
    ).toEqual(['http_status 404', 'invalid_request', 'invalid_request', 'invalid_request', 'ok'])
  })

  test.each<[name: string, headers: () => Record<string, string>, status: number, error: string]>([
    ['no key', () => ({}), 401, 'Missing API key'],
    ['an unknown key', () => ({ 'x-api-key': 'urlmeta_live_0' }), 401, 'Invalid API key'],
    ['an unknown token', () => ({ authorization: 'Bearer x' }), 401, 'Invalid API key'],
  ])('with %s is refused before its body is read', async (_, headers, status, error) => {
    const response = await post('not JSON', headers())
    expect([response.status, await response.json()]).toEqual([status, { error: expect.stringContaining(error) }])
  })

  test('of a key for other addresses is refused', async () => {
    const own = await app.createKey('elsewhere@example.com', { allowedAddresses: ['192.0.2.0/24'] } as never)
    expect((await post(callOf({ url: `${app.origin}/a` }), { 'x-api-key': own })).status).toBe(403)
  })

  const meta = (extra: object = {}) => ({ _meta: STATELESS, ...extra })
  test.each<[name: string, body: unknown, headers: Record<string, string>, status: number, error: object]>([
    ['no JSON', '{', {}, 400, { code: -32_700 }],
    ['a batch', [callOf({})], {}, 400, { code: -32_600 }],
    ['arguments that are a text', callOf('x'.repeat(240_000) as never), {}, 200, { code: -32_602 }],
    ['arguments that are a list', callOf(['x']), {}, 200, { code: -32_602 }],
    ['a tool that is an object', callOf({}, { toString: 1 } as never), {}, 200, { code: -32_602 }],
    ['no method', { jsonrpc: '2.0', id: 1 }, {}, 200, { code: -32_600 }],
    ['an unknown tool', callOf({}, 'x'), {}, 200, { code: -32_602, message: 'Unknown tool: x' }],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'x' }, {}, 200, { code: -32_601 }],
    [
      'a version without its header',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: meta() },
      {},
      400,
      { code: -32_020, message: 'The header MCP-Protocol-Version must be 2026-07-28' },
    ],
    [
      'another method in the header',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: meta() },
      { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'ping' },
      400,
      { code: -32_020, message: 'The header Mcp-Method must be tools/list' },
    ],
    [
      'a version that the server does not have',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } },
      },
      {},
      400,
      { code: -32_022, data: { supported: VERSIONS, requested: '2099-01-01' } },
    ],
    [
      'an unknown version in the header after a handshake',
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { 'MCP-Protocol-Version': '1900-01-01' },
      400,
      { code: -32_022, data: { supported: VERSIONS, requested: '1900-01-01' } },
    ],
    [
      'a version in the header alone',
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' },
      400,
      { code: -32_020, message: 'The header MCP-Protocol-Version must be that of the message' },
    ],
    ...[
      ['another tool', 'x'],
      ['another encoded tool', '=?base64?eA==?='],
      ['an encoding that is not Base64', '=?base64?get_metadata?='],
      ['an encoding in capital letters', '=?BASE64?Z2V0X21ldGFkYXRh?='],
    ].map(
      ([name, tool]) =>
        [
          `${name} in the header`,
          { ...callOf({}), params: meta({ name: 'get_metadata' }) },
          { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': tool },
          400,
          { code: -32_020, message: 'The header Mcp-Name must be get_metadata' },
        ] as never,
    ),
    [
      'an encoded method in the header',
      { jsonrpc: '2.0', id: 1, method: 'ping', params: meta() },
      { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': '=?base64?cGluZw==?=' },
      400,
      { code: -32_020, message: 'The header Mcp-Method must be ping' },
    ],
    [
      'an unknown method without a handshake',
      { jsonrpc: '2.0', id: 1, method: 'x', params: meta() },
      { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'x' },
      404,
      { code: -32_601, message: 'Method not found: x' },
    ],
  ])('with %s is an error', async (_, body, headers, status, error) => {
    const response = await post(body, { 'x-api-key': key, ...headers })
    expect([response.status, await response.json()]).toEqual([
      status,
      {
        jsonrpc: '2.0',
        id: Array.isArray(body) || body === '{' ? null : 1,
        error: expect.objectContaining(error),
      },
    ])
  })

  test.each<[name: string, message: object, headers: Record<string, string>]>([
    ...VERSIONS.slice(1).map((version) => [version, {}, { 'MCP-Protocol-Version': version }] as never),
    ['no version', {}, {}],
    ['a version that the server does not agree on', { method: 'initialize' }, { 'MCP-Protocol-Version': '2099-01-01' }],
    [
      'an encoded name in the header',
      { method: 'tools/call', params: { _meta: STATELESS, name: 'get_metadata', arguments: {} } },
      {
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': '=?base64?Z2V0X21ldGFkYXRh?=',
      },
    ],
  ])('with %s has a result', async (_, message, headers) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping', ...message }
    const response = await post(body, { 'x-api-key': key, ...headers })
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ result: expect.anything() }),
    ])
  })

  test.each<[name: string, id: unknown]>([
    ['null', null],
    ['a boolean', true],
    ['a list', [1]],
    ['an object', { a: 1 }],
  ])('with an id that is %s is an error, and the id is not repeated', async (_, id) => {
    const response = await post({ jsonrpc: '2.0', id, method: 'ping' })
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32_600 } })
  })

  test.each(['id', 'version'])('with a very deep %s is answered', async (where) => {
    const deep = '{"a":'.repeat(40_000) + '1' + '}'.repeat(40_000)
    const params = `{"_meta":{"io.modelcontextprotocol/protocolVersion":${deep}}}`
    const response = await post(
      where === 'id' ? `{"id":${deep},"method":"ping"}` : `{"id":1,"method":"ping","params":${params}}`,
    )
    expect((await response.text()).length).toBeLessThan(300)
    expect(response.status).toBeLessThan(500)
  })

  test.each(['', 0, -1, 1.5, 'x'])('with the id %p repeats it', async (id) => {
    expect(await (await post({ jsonrpc: '2.0', id, method: 'ping' })).json()).toEqual({
      jsonrpc: '2.0',
      id,
      result: {},
    })
  })

  test.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('with %s has no response', async (_, body) => {
    const response = await post(body)
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  test.each(['GET', 'DELETE'])('%s is not allowed: there are no sessions', async (method) => {
    const response = await fetch(`${app.url}/mcp`, { method, headers: { 'x-api-key': key } })
    expect([response.status, await response.json()]).toEqual([405, { error: 'Method not allowed' }])
    expect(response.headers.get('allow')).toBe('POST')
  })
})
