import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'
import { generate } from 'selfsigned'

import { FETCH_TIMEOUT_MS, MAX_REQUEST_BODY_BYTES, MAX_URL_CHARACTERS } from '../../src/core/limits.ts'
import { openWorkspace, type Service, type Workspace } from '../executable.ts'
import { describePostgres, describeProgram } from '../requirements.ts'
import { withinMinute } from '../clock-minute.ts'
import { freePort } from '../free-port.ts'
import { startPostgres, type PostgresServer } from '../postgres.ts'
import { createKey, createPostgresKey } from '../new-key.ts'
import { until } from '../site.ts'
import { isThorough } from '../thorough.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const DEPLOY = join(import.meta.dir, '../../docs/deploy')
const DOMAIN = 'urlmeta.example.com'

const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) =>
    new Response(`<title>${url.length} characters</title>`, { headers: { 'content-type': 'text/html' } }),
})

let workspace: Workspace
let service: Service
let key: string

beforeAll(async () => {
  workspace = openWorkspace()
  key = await createKey(workspace)
  service = await workspace.serve({
    URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
    URLMETA_BASE_URL: `https://${DOMAIN}`,
    URLMETA_TRUSTED_PROXIES: '127.0.0.1',
    URLMETA_PLAN_FREE_PER_MINUTE: '10000',
  })
}, PATIENT_TEST_MS)

afterAll(async () => {
  await workspace[Symbol.asyncDispose]()
  await origin.stop(true)
})

interface Answer {
  status: number
  body: string
}

interface Visit {
  headers?: Record<string, string>
  /** The address of the client. */
  from?: string
}

/** Sends a request to the proxy, over TLS and with the public host name. */
function visit(port: number, path: string, { headers = {}, from = '127.0.0.1' }: Visit = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const options = { host: '127.0.0.1', port, path, localAddress: from, servername: DOMAIN, rejectUnauthorized: false }
  const outgoing = request({ ...options, headers: { ...headers, host: DOMAIN } }, (response) => {
    let body = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => (body += chunk))
    response.on('end', () => resolve({ status: response.statusCode!, body }))
  })
  outgoing.on('error', reject)
  outgoing.end()
  return promise
}

const addressOf = ({ url }: Service) => url.replace('http://', '')

const metadataPath = (url: string) => `/v1/metadata?url=${encodeURIComponent(url)}`

/** Writes the configuration of a proxy for a port to an empty directory; returns the command that starts it. */
type Start = (port: number, folder: string) => Promise<{ command: string[]; env?: Record<string, string> }>

/** Runs a proxy until it is disposed. */
async function runProxy(start: Start): Promise<AsyncDisposable & { port: number; folder: string }> {
  const port = freePort()
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-proxy-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(folder, { recursive: true }))
  const { command, env = {} } = await start(port, folder)
  const proxy = Bun.spawn(command, {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
    stdout: 'ignore',
    stderr: Bun.file(join(folder, 'stderr')),
  })
  stack.defer(async () => {
    proxy.kill('SIGKILL')
    await proxy.exited
  })
  for (;;) {
    const isUp = await visit(port, '/healthz').then(
      ({ status }) => status === 200,
      () => false,
    )
    if (isUp) break
    if (proxy.exitCode !== null) throw new Error(await Bun.file(join(folder, 'stderr')).text())
    await Bun.sleep(20)
  }
  const running = stack.move()
  return { port, folder, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** The contract of every proxy. Its clients have addresses that no other test uses. */
function proxyTests(start: Start, clients: readonly [string, string]) {
  let proxy: Awaited<ReturnType<typeof runProxy>>
  let port: number

  beforeAll(async () => {
    proxy = await runProxy(start)
    port = proxy.port
  }, PATIENT_TEST_MS)
  afterAll(() => proxy?.[Symbol.asyncDispose]())

  const visitMetadata = (url: string) => visit(port, metadataPath(url), { headers: { 'x-api-key': key } })

  test('forwards the key and the response', async () => {
    const { status, body } = await visitMetadata(`http://127.0.0.1:${origin.port}/`)
    expect([status, (JSON.parse(body) as { title: string }).title]).toEqual([
      200,
      expect.stringContaining('characters'),
    ])
  })

  test('forwards the longest URL', async () => {
    const base = `http://127.0.0.1:${origin.port}/?`
    const { status, body } = await visitMetadata(base + ':'.repeat(MAX_URL_CHARACTERS - base.length))
    expect([status, body]).toEqual([200, expect.stringContaining(`${MAX_URL_CHARACTERS} characters`)])
  })

  test.each([
    ['the longest head, percent-encoded in nine bytes a character', MAX_URL_CHARACTERS],
    ['one character more', MAX_URL_CHARACTERS + 1],
  ])('returns the response of the service for %s', async (_, length) => {
    const base = 'http://[::1]/?'
    const url = base + '€'.repeat(length - base.length)
    const direct = await fetch(service.url + metadataPath(url), { headers: { 'x-api-key': key } })
    expect(await visitMetadata(url)).toEqual({ status: direct.status, body: await direct.text() })
    expect(direct.status).toBe(400)
  })

  test('limits each client separately, and ignores a forged address', async () => {
    await withinMinute(20)
    const statuses: number[] = []
    for (let n = 0; n < 40; n++) {
      const headers = { 'x-forwarded-for': `198.51.100.${n}` }
      statuses.push((await visit(port, '/sign-in/link?token=x', { headers, from: clients[0] })).status)
    }
    expect(statuses[0]).toBe(400)
    expect(statuses.at(-1)).toBe(429)
    expect((await visit(port, '/sign-in/link?token=x', { from: clients[1] })).status).toBe(400)
  }, 90_000)
}

const CLIENTS = 16
const REQUESTS_PER_CLIENT = isThorough ? 50 : 15

/** Several processes on one database, one of which is killed while clients send requests, one at a time each. */
function killTests(startWith: (upstreams: () => string[]) => Start) {
  describePostgres('three processes', (binDir) => {
    let postgres: PostgresServer
    beforeAll(async () => {
      postgres = await startPostgres(binDir)
    }, PATIENT_TEST_MS)
    afterAll(() => postgres?.[Symbol.asyncDispose](), PATIENT_TEST_MS)

    test('kill -9 of one fails at most the requests in progress, and charges are exact for all others', async () => {
      const url = await postgres.createDatabase()
      const env = {
        URLMETA_DATABASE_URL: url,
        URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
        URLMETA_PLAN_BUSINESS_PER_MINUTE: '1000000',
      }
      const processes = await Promise.all([1, 2, 3].map(() => workspace.serve(env)))
      const killed = { email: 'kill@example.com', plan: 'business' } as const
      const headers = { 'x-api-key': await createPostgresKey(workspace, env, killed) }
      await using proxy = await runProxy(startWith(() => processes.map(addressOf)))
      let succeeded = 0
      let failed = 0
      const client = async () => {
        for (let n = 0; n < REQUESTS_PER_CLIENT; n++) {
          const { status } = await visit(proxy.port, metadataPath(`http://127.0.0.1:${origin.port}/`), { headers })
          if (status === 200) succeeded++
          else failed++
          if (succeeded === 2 * CLIENTS) processes[0]!.kill('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, client))

      // One per client, and one whenever the proxy tries the process again (nginx: every 10 seconds).
      expect(failed).toBeLessThanOrEqual(2 * CLIENTS)
      await using sql = new SQL({ url, max: 1 })
      const [row] = await sql`SELECT used FROM monthly_usage`
      expect(Number(row.used)).toBeGreaterThanOrEqual(succeeded)
      // A request in progress may have been charged before the kill, without a response: one per client.
      expect(Number(row.used)).toBeLessThanOrEqual(succeeded + CLIENTS)
      for (const { kill } of processes) kill('SIGKILL')
    }, 120_000)
  })
}

/** A process that is stopping, and another process that serves. */
const stopping = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('stopping', { status: 503 }) })
afterAll(() => stopping.stop(true))

describeProgram('caddy', (caddy) => {
  const startWith =
    (name: string, upstreams: () => Record<string, string>): Start =>
    async (port, folder) => {
      const example = await Bun.file(join(DEPLOY, name)).text()
      // A local certificate authority, no other ports, and no files outside of the directory.
      const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tstorage file_system ${folder}\n}\n`
      const file = join(folder, 'Caddyfile')
      await Bun.write(file, options + example.replace('\treverse_proxy', '\ttls internal\n\treverse_proxy'))
      return {
        command: [caddy, 'run', '--config', file, '--adapter', 'caddyfile'],
        env: { URLMETA_DOMAIN: `${DOMAIN}:${port}`, ...upstreams() },
      }
    }
  describe('one process', () =>
    proxyTests(
      startWith('Caddyfile', () => ({ URLMETA_UPSTREAM: addressOf(service) })),
      ['127.0.0.2', '127.0.0.3'],
    ))

  describe('two processes, one of which is not ready', () =>
    proxyTests(
      startWith('Caddyfile.scale', () => ({ URLMETA_UPSTREAMS: `127.0.0.1:${stopping.port} ${addressOf(service)}` })),
      ['127.0.0.6', '127.0.0.7'],
    ))

  killTests((upstreams) => startWith('Caddyfile.scale', () => ({ URLMETA_UPSTREAMS: upstreams().join(' ') })))
})

describeProgram('nginx', (nginx) => {
  const startWith =
    (upstreams: () => string[]): Start =>
    async (port, folder) => {
      const { cert, private: certificateKey } = await generate([{ name: 'commonName', value: DOMAIN }])
      await Bun.write(join(folder, 'fullchain.pem'), cert)
      await Bun.write(join(folder, 'privkey.pem'), certificateKey)
      for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name))
      const example = await Bun.file(join(DEPLOY, 'nginx.conf')).text()
      const site = example
        .replace(
          'server 127.0.0.1:3000;',
          upstreams()
            .map((address) => `server ${address};`)
            .join(' '),
        )
        .replaceAll(/listen (80|\[::\]:\d+)( ssl http2)?;/g, '')
        .replace('return 301', 'listen unix:$FOLDER/http.sock; return 301')
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replaceAll('/etc/letsencrypt/live/urlmeta.example.com', folder)
        .replaceAll('/var/log/nginx', folder)
        .replaceAll('$FOLDER', folder)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${join(folder, name.replace('client_', ''))};`,
      )
      const file = join(folder, 'nginx.conf')
      await Bun.write(
        file,
        [
          'daemon off;',
          'master_process off;',
          `pid ${join(folder, 'pid')};`,
          'events {}',
          `http { ${temporary.join(' ')}`,
          site,
          '}',
        ].join('\n'),
      )
      return { command: [nginx, '-c', file, '-p', folder, '-e', 'stderr'] }
    }

  proxyTests(
    startWith(() => [addressOf(service)]),
    ['127.0.0.4', '127.0.0.5'],
  )
  killTests(startWith)

  test('logs neither queries nor URLs and keys in paths', async () => {
    await using proxy = await runProxy(startWith(() => [addressOf(service)]))
    const paths = [
      `/compat/summaly/${key}?url=x`,
      `/oembed?api_key=${key}`,
      '/compat/opengraph/api/1.1/site/http%3A%2F%2Fa',
    ]
    for (const path of [...paths, '/healthz']) await visit(proxy.port, path)
    // A request is logged after its response.
    let log = ''
    await until(async () => {
      log = await Bun.file(join(proxy.folder, 'urlmeta.log')).text()
      return /opengraph.*healthz/s.test(log)
    })
    const logged = [...log.matchAll(/"GET (.*?)" \d/g)].map(([, path]) => path)
    expect(logged.slice(-4, -1)).toEqual(['/compat/summaly/-', '/oembed', '/compat/opengraph/-'])
  })

  test('has the limits of the service', async () => {
    const example = await Bun.file(join(DEPLOY, 'nginx.conf')).text()
    expect(example).toContain(`client_max_body_size ${MAX_REQUEST_BODY_BYTES / 1024}k;`)
  })
})

describe.each(['Caddyfile', 'Caddyfile.scale', 'nginx.conf'])('%s', async (name) => {
  const text = await Bun.file(join(DEPLOY, name)).text()

  test('waits longer than the maximum duration of a fetch', () => {
    const [, seconds] = /(?:response_header_timeout|proxy_read_timeout) (\d+)s/.exec(text) ?? []
    expect(Number(seconds) * 1000).toBeGreaterThan(FETCH_TIMEOUT_MS.maximum)
  })
})
