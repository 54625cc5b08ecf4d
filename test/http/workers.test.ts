import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'

import { atMost } from '../at-most.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { HOSTILE } from '../origin/hostile.ts'
import { openRawOrigin } from '../origin/raw-origin.ts'
import { typicalCases } from '../thorough.ts'
import { useCpu } from '../use-cpu.ts'
import { startApp, type TestApp } from './app.ts'

const WORKER = new URL('./faulty-worker.ts', import.meta.url).href
const HTML = { 'content-type': 'text/html' }
/** Between two requests of the load, in milliseconds. */
const PAUSE_MS = 20
const NOT_PROCESSED = '502 Failed to fetch URL: page could not be processed'

/** Faults of a page, and the reason in the log. */
type Fault = [name: string, path: string, reason: string]
const FAULTS: Fault[] = [
  ['an endless loop', '/endless-loop', 'unresponsive'],
  ['endless memory', '/endless-memory', 'unresponsive'],
  ['an uncaught error', '/uncaught-error', 'crashed'],
  ['an exit', '/exit', 'crashed'],
]

/** The host of the pages with a fault: each has its own, because hosts are remembered. */
const hostOf = (path: string) => `${path.slice(1)}.test`

/** Pages at any host below `.test`. Those at `/waits` are sent when the test calls `send`. */
async function openWorkers(stack: AsyncDisposableStack, env: Record<string, string>) {
  const hosts = ['good.test', 'bad.test', 'between.test', ...FAULTS.map(([, path]) => hostOf(path))]
  const dns = stack.use(
    await openDnsServer(Object.fromEntries(hosts.map((host) => [host, () => ({ A: ['127.0.0.1'] })]))),
  )
  const waiting = Promise.withResolvers<void>()
  const app = stack.use(
    await startApp({
      env: { URLMETA_DNS_SERVERS: dns.address, URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1', ...env },
      workerEntry: WORKER,
      async origin(request) {
        const { hostname, pathname, port } = new URL(request.url)
        if (pathname === '/waits') await waiting.promise
        if (hostname === 'between.test') return Response.redirect(`http://bad.test:${port}${pathname}`)
        return new Response(`<title>${hostname}</title><link rel=icon href=/i.png>`, { headers: HTML })
      },
    }),
  )
  const { port } = new URL(app.origin)
  async function createClient(email: string) {
    const key = await app.createKey(email)
    return async (host: string, path: string) => {
      const query = new URLSearchParams({ url: `http://${host}:${port}${path}`, timeout: '15000' })
      const response = await fetch(`${app.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
      const { title, error } = (await response.json()) as { title?: string; error?: string }
      return { status: `${response.status} ${error ?? title}`, used: response.headers.get('x-monthly-used') }
    }
  }
  return { app, send: waiting.resolve, createClient, get: await createClient('jo@example.com') }
}

async function restartsOf(app: TestApp): Promise<string | undefined> {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  return /^urlmeta_worker_restarts_total (.*)$/m.exec(text)?.[1]
}

describe.each(['1', '3'])('with %s workers, a page with', (count) => {
  const stack = new AsyncDisposableStack()
  let workers: Awaited<ReturnType<typeof openWorkers>>
  beforeAll(async () => void (workers = await openWorkers(stack, { URLMETA_WORKERS: count })))
  afterAll(() => stack.disposeAsync())

  // An endless loop takes seconds of CPU time, so by default a worker with endless memory is one that does not respond.
  const isTypical = ([, path, reason]: Fault) => reason === 'crashed' || (count === '1' && path === '/endless-memory')
  const faults = typicalCases(FAULTS, isTypical)
  test.each(faults)(
    '%s ends its worker, which is replaced; its host is remembered and nothing is charged',
    async (_, path, reason) => {
      const { app, createClient } = workers
      const host = hostOf(path)
      const get = await createClient(`jo@${host}`)
      const restarts = Number(await restartsOf(app))
      expect(await get('good.test', `${path}/1`)).toEqual({ status: '200 good.test', used: '1' })
      expect(await get(host, path)).toMatchObject({ status: NOT_PROCESSED })
      expect(await app.logged({ reason, host })).toMatchObject({ level: 'error' })
      expect(await get(host, `${path}/2`)).toMatchObject({ status: NOT_PROCESSED })
      expect(app.requestCounts.has(`${path}/2`)).toBe(false)
      expect(await get('good.test', `${path}/3`)).toEqual({ status: '200 good.test', used: '2' })
      expect(await restartsOf(app)).toBe(String(restarts + 1))
    },
  )
})

test('when a worker is ended, its other pages fail, and only the host that was requested for the fault is remembered', async () => {
  await using stack = new AsyncDisposableStack()
  const { app, get } = await openWorkers(stack, { URLMETA_WORKERS: '1' })
  const other = get('good.test', '/waits')
  while (!app.requestCounts.has('/waits')) await Bun.sleep(5)
  expect(await get('between.test', '/endless-wait')).toMatchObject({ status: NOT_PROCESSED })
  expect(await other).toMatchObject({ status: NOT_PROCESSED })
  expect(await get('between.test', '/2')).toMatchObject({ status: NOT_PROCESSED })
  expect(await get('good.test', '/3')).toEqual({ status: '200 good.test', used: '1' })
  expect(await get('bad.test', '/4')).toEqual({ status: '200 bad.test', used: '2' })
})

test('a worker that gets no CPU time is not ended', async () => {
  await using stack = new AsyncDisposableStack()
  const { app, get } = await openWorkers(stack, { URLMETA_WORKERS: '1' })
  expect(await get('good.test', '/first')).toMatchObject({ status: '200 good.test' })
  // CPU time from before the page does not count.
  useCpu(1_500)
  expect(await get('good.test', '/not-run')).toMatchObject({ status: '200 good.test' })
  expect(await restartsOf(app)).toBe('0')
})

test('when a worker is ended under load, exactly the responses with status 200 are charged', async () => {
  await using stack = new AsyncDisposableStack()
  const { get } = await openWorkers(stack, { URLMETA_WORKERS: '1', URLMETA_PLAN_FREE_PER_MINUTE: '1000' })
  const fault = get('bad.test', '/endless-wait')
  const over = new AbortController()
  void fault.finally(() => over.abort())
  let answered = 0
  let sent = 0
  while (!over.signal.aborted) {
    const responses = await Promise.all([get('good.test', `/${sent++}`), get('good.test', '/cached')])
    answered += responses.filter(({ status }) => status.startsWith('200')).length
    // Leaves the CPU to other tests.
    await Bun.sleep(PAUSE_MS)
  }
  expect(await fault).toMatchObject({ status: NOT_PROCESSED })
  expect(await get('good.test', '/last')).toEqual({ status: '200 good.test', used: String(answered + 1) })
})

test.skipIf(process.platform !== 'linux')('workers have a lower priority than the main thread', async () => {
  const tasks = '/proc/self/task'
  // The 19th field of proc(5)'s stat; the second one is a name in parentheses.
  const niceOf = (task: string) =>
    Number(/.*\) (?:\S+ ){16}(\S+)/s.exec(readFileSync(`${tasks}/${task}/stat`, 'utf8'))![1])
  const main = getPriority()
  await using app = await startApp({ env: { URLMETA_WORKERS: '1' } })
  expect((await app.metadata(await app.createKey(), '/')).status).toBe(200)
  expect(niceOf(String(process.pid))).toBe(main)
  expect(readdirSync(tasks).map(niceOf)).toContain(Math.min(main + 5, 19))
})

test('when a worker is ended, its slots are free again', async () => {
  await using stack = new AsyncDisposableStack()
  const env = { URLMETA_WORKERS: '1', URLMETA_FETCH_CONCURRENCY: '1' }
  const { get } = await openWorkers(stack, env)
  expect(await get('bad.test', '/endless-wait')).toMatchObject({ status: NOT_PROCESSED })
  expect(await Promise.all(['/1', '/2', '/3'].map((path) => get('good.test', path)))).toMatchObject(
    Array.from({ length: 3 }, () => ({ status: '200 good.test' })),
  )
})

/**
 * Fetches end with the head of this page, but the service reads on. Its deadline is short, because nothing more comes, and
 * long enough for the head on a busy machine.
 */
const ENDLESS_BODY = 'stops after the head'

/** The responses for all hostile servers of the tests. */
async function hostileResponses(count: string) {
  await using app = await startApp({
    env: { URLMETA_WORKERS: count, URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1', URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
  })
  const key = await app.createKey()
  const run = atMost(3)
  const responses = await Promise.all(
    HOSTILE.map(({ name, respond, onConnect, isEndless }) =>
      run(async () => {
        await using origin = await openRawOrigin(respond, {}, onConnect)
        const query = new URLSearchParams({
          url: `http://127.0.0.1:${origin.port}/`,
          timeout: name === ENDLESS_BODY ? '6000' : isEndless ? '1000' : '15000',
          // A later server may listen on the same port.
          cache: 'false',
        })
        const response = await fetch(`${app.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
        const { title, error } = (await response.json()) as { title?: string; error?: string }
        return `${name}: ${response.status} ${error ?? title}`
      }),
    ),
  )
  expect(await restartsOf(app)).toBe('0')
  return responses
}

const counts = typicalCases(['1', '3'], (count) => count === '3')
test(`hostile servers cause the same responses with 0 and ${counts.join(' and ')} workers, and end none`, async () => {
  const expected = await hostileResponses('0')
  const reasons = HOSTILE.flatMap(({ name, expected: e }) =>
    'reason' in e ? `${name}: 502 Failed to fetch URL: ${e.reason}` : [],
  )
  for (const reason of reasons) expect(expected).toContainEqual(expect.stringContaining(reason))
  for (const count of counts) expect(await hostileResponses(count)).toEqual(expected)
}, 120_000)

test('the log has the error that ended a worker', async () => {
  await using stack = new AsyncDisposableStack()
  const { app, get } = await openWorkers(stack, { URLMETA_WORKERS: '1' })
  await get('bad.test', '/uncaught-error')
  expect((await app.logged({ reason: 'crashed' }))['detail']).toContain('a fault')
})

test('the log has the detail of a failure in a worker', async () => {
  await using app = await startApp({
    env: { URLMETA_WORKERS: '1' },
    origin: () => Response.redirect('http://169.254.169.254/'),
  })
  expect((await app.metadata(await app.createKey(), '/')).status).toBe(502)
  await app.logged({ failure: 'address_not_allowed', detail: 'cloud_metadata' })
})

test('a worker that cannot start is started again by the next request', async () => {
  await using app = await startApp({ env: { URLMETA_WORKERS: '1' }, workerEntry: 'file:///missing.ts' })
  const key = await app.createKey()
  await app.logged({ reason: 'crashed' })
  expect((await app.metadata(key, '/')).status).toBe(502)
  expect(await restartsOf(app)).toBe('2')
})
