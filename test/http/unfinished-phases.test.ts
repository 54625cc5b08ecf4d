import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openWorkspace } from '../executable.ts'
import { JO } from '../identity/people.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { openRawOrigin, pathOf, type RawOrigin, responseBytes } from '../origin/raw-origin.ts'
import { until } from '../site.ts'
import { requestUrl } from '../../views/requests/request-links.ts'
import type { Browser } from './browser.ts'
import { type SignInApp, startSignInApp } from './sign-in-app.ts'

/** Shorter than any other wait of a fetch, and longer than a busy machine needs for the phases before the one that hangs. */
const TIMEOUT_MS = 600

/** What a phase may last less than the deadline: the phases before it, on a busy machine. */
const EARLIER_MS = 400

/** A worker says what it waits for 150 ms before the deadline; on a busy machine, its second message comes too late. */
const UNKNOWN_MS = 200

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'

/** Each origin hangs in one phase of a fetch. */
const PHASES: [phase: string, label: string, urlOf: (ports: Ports) => string][] = [
  ['dns', 'DNS', ({ http }) => `http://silent.test:${http}/`],
  ['connect', 'Connect', ({ http }) => `http://proxied.test:${http}/`],
  ['tls', 'TLS', ({ silent }) => `https://127.0.0.1:${silent}/`],
  ['firstByte', 'First byte', ({ http }) => `http://127.0.0.1:${http}/silent`],
  ['body', 'Body', ({ http }) => `http://127.0.0.1:${http}/endless`],
  ['queue', 'Queue', ({ http }) => `http://127.0.0.1:${http}/queued`],
]

interface Ports {
  http: number
  /** Accepts connections, and never sends a byte. */
  silent: number
}

describe.each(['0', '1'])('with %s workers', (workers) => {
  const stack = new AsyncDisposableStack()
  let service: SignInApp
  let origin: RawOrigin
  let ports: Ports
  let env: Record<string, string>
  let key: string
  let jo: Browser
  beforeAll(async () => {
    origin = stack.use(
      await openRawOrigin((socket, head) => {
        if (pathOf(head) === '/page')
          socket.end(responseBytes(200, { 'Content-Type': 'text/html' }, '<title>T</title>'))
        if (pathOf(head) === '/endless') socket.write(`${HEAD}Content-Length: 1000\r\n\r\n<title>`)
      }),
    )
    const silent = stack.use(await openRawOrigin(() => {}))
    ports = { http: origin.port, silent: silent.port }
    const dns = stack.use(
      await openDnsServer({ 'silent.test': () => null, 'proxied.test': () => ({ A: ['127.0.0.1'] }) }),
    )
    const dir = mkdtempSync(join(tmpdir(), 'urlmeta-test-'))
    stack.defer(() => rmSync(dir, { recursive: true }))
    const sites = join(dir, 'sites.json')
    writeFileSync(sites, JSON.stringify([{ hosts: ['proxied.test'], egressProxy: `http://127.0.0.1:${silent.port}` }]))
    env = { URLMETA_DNS_SERVERS: dns.address, URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.0/8', URLMETA_SITES: sites }
    const limits = { URLMETA_FETCH_CONCURRENCY: '1', URLMETA_PLAN_FREE_PER_MINUTE: '1000' }
    service = stack.use(await startSignInApp({ env: { ...env, ...limits, URLMETA_WORKERS: workers } }))
    jo = await service.signedIn(JO)
    key = await service.app.createKey(JO.email)
    // Starts the worker, which takes longer than the timeouts below.
    await request(`http://127.0.0.1:${origin.port}/page`, { timeout: '15000' })
  })
  afterAll(() => stack[Symbol.asyncDispose]())

  const request = (url: string, parameters: Record<string, string>) =>
    fetch(`${service.app.url}/v1/metadata?${new URLSearchParams({ url, ...parameters })}`, {
      headers: { 'x-api-key': key },
    })

  /** Starts a request that gets no response before its timeout. */
  async function startHeld(path: string) {
    const sent = origin.heads.length
    const response = request(`http://127.0.0.1:${ports.http}${path}`, { timeout: '2500' })
    await until(() => origin.heads.length > sent)
    return { response }
  }

  /**
   * Repeats a fetch until its phase is named: on a busy machine, the worker's message about it may come after the deadline.
   */
  async function untilNamed<T extends { isNamed: boolean }>(run: () => Promise<T>): Promise<T> {
    let result = await run()
    for (let retries = 4; retries > 0 && !result.isNamed; retries--) result = await run()
    return result
  }

  /** Runs `work` while a request of the same user has the only slot, if it is to wait for it. */
  async function whileHeld<T>(isHeld: boolean, work: () => Promise<T>): Promise<T> {
    if (!isHeld) return work()
    const held = await startHeld('/held')
    const result = await work()
    await held.response
    return result
  }

  describe.each(PHASES)('a fetch that hangs in %s', (phase, label, urlOf) => {
    const unfinished = new RegExp(`${label} (?:[2-9]\\d\\d ms|\\d\\.\\d s) \\(not finished\\)`)

    test('names it in the log, and in the request log', async () => {
      const { id, line } = await untilNamed(async () => {
        const response = await whileHeld(phase === 'queue', () => request(urlOf(ports), { timeout: `${TIMEOUT_MS}` }))
        expect(await response.json()).toEqual({ error: `Failed to fetch URL: timed out after ${TIMEOUT_MS} ms` })
        const requestId = response.headers.get('x-request-id')!
        const logged = await service.app.logged({ id: requestId, msg: 'request' })
        return { id: requestId, line: logged, isNamed: logged['unfinished'] === phase }
      })
      expect(line).toMatchObject({ failure: 'timeout', unfinished: phase })
      const { [phase]: waited, ...others } = line['phases'] as Record<string, number>
      expect(waited).toBeGreaterThan(TIMEOUT_MS - EARLIER_MS)
      expect(waited! + Object.values(others).reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(TIMEOUT_MS - UNKNOWN_MS)
      // Requests are logged once per second.
      const details = async () => (await jo.get(requestUrl(id))).document.querySelector('.details')
      await until(async () => (await details()) !== null, 100)
      expect((await details())!.text).toMatch(unfinished)
    })

    test('names it in the playground', async () => {
      const { page } = await untilNamed(async () => {
        const result = await whileHeld(phase === 'queue', () =>
          service.play(jo, '', { url: urlOf(ports), timeout: `${TIMEOUT_MS}` }),
        )
        return { page: result, isNamed: unfinished.test(result.document.querySelector('.timing')?.text ?? '') }
      })
      expect(page.document.querySelector('.callout.bad')!.text).toContain('timed out')
      expect(page.document.querySelector('.timing')!.text).toMatch(unfinished)
    })
  })

  test.each(workers === '0' ? PHASES.filter(([phase]) => phase !== 'queue') : [])(
    'urlmeta fetch --explain names %s',
    async (_, label, urlOf) => {
      await using place = openWorkspace()
      const { code, stdout } = await place.run(['fetch', '--explain', '--timeout', `${TIMEOUT_MS}`, urlOf(ports)], env)
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(new RegExp(`${label} [2-9]\\d{2,}\\.\\d \\(not finished\\)`, 'i')),
      ])
    },
  )

  test('a request that waits for the fetch of another one says so', async () => {
    const first = await startHeld('/shared')
    const response = await request(`http://127.0.0.1:${ports.http}/shared`, { timeout: `${TIMEOUT_MS}` })
    expect(response.status).toBe(502)
    const line = await service.app.logged({ id: response.headers.get('x-request-id')!, msg: 'request' })
    expect(line).toMatchObject({ unfinished: 'shared', phases: { shared: expect.any(Number) } })
    await first.response
  })

  test('an address has no time for DNS', async () => {
    const response = await request(`http://127.0.0.1:${ports.http}/silent`, { timeout: '100' })
    const line = await service.app.logged({ id: response.headers.get('x-request-id')!, msg: 'request' })
    expect(Object.keys(line['phases'] as object)).not.toContain('dns')
  })
})
