import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, openSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

import { buildExecutable, openWorkplace, type Service, type Workplace } from './executable.ts'
import { describeRoot, smallDisk } from './small-disk.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
let release = () => {}
const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.url.endsWith('/held')) await new Promise<void>((resolve) => (release = resolve))
    return new Response('<!doctype html><title>A page</title><link rel=icon href=/icon.png>', { headers: HTML })
  },
})
const ENV = {
  URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
  URLMETA_PLAN_FREE_PER_MINUTE: '100000',
}

beforeAll(buildExecutable, 60_000)
afterAll(() => origin.stop(true))

async function newKey(place: Workplace, env: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr } = await place.run(['key', 'create', '--email', 'you@example.com', '--json'], env)
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout).key
}

const ask = ({ url }: Pick<Service, 'url'>, key: string, path: string) =>
  fetch(`${url}/v1/metadata?url=${encodeURIComponent(`http://127.0.0.1:${origin.port}${path}`)}`, {
    headers: { 'x-api-key': key },
  })

/** A request that is under way until it is released. */
async function askHeld(service: Pick<Service, 'url'>, key: string) {
  const idle = (release = () => {})
  const response = ask(service, key, '/held')
  await until(() => release !== idle)
  return { response, release }
}

async function until(condition: () => boolean | Promise<boolean>) {
  while (!(await condition())) await Bun.sleep(20)
}

const readiness = async ({ url }: Service) => {
  const response = await fetch(`${url}/readyz`)
  return [response.status, ((await response.json()) as { reason?: string }).reason ?? 'ok'] as const
}

/** A server that has written all that it writes at its start: the link to sign in comes last. */
async function serveWholly(place: Workplace): Promise<Service> {
  const service = await place.serve(ENV)
  await until(() => service.output().includes('/sign-in/link'))
  return service
}

/** Writes rubbish over a part of a file, as a disk that fails does. */
function overwrite(path: string, from: number, bytes: number) {
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(bytes, 0xaa), 0, bytes, from)
  closeSync(fd)
}

describe('/readyz says what is wrong with the database, and that it is gone, without a restart', () => {
  test('a directory that was moved away and back', async () => {
    await using place = openWorkplace()
    const service = await serveWholly(place)
    const key = await newKey(place)
    renameSync(join(place.dir, 'data'), join(place.dir, 'elsewhere'))
    await until(async () => (await readiness(service))[0] === 503)
    expect(await readiness(service)).toEqual([503, 'the database file was deleted or replaced'])
    // Nothing is counted in a file that will not be there at the next start.
    await until(async () => (await ask(service, key, '/page')).status === 500)
    renameSync(join(place.dir, 'elsewhere'), join(place.dir, 'data'))
    await until(async () => (await readiness(service))[0] === 200)
    expect((await ask(service, key, '/page')).status).toBe(200)
  })

  test('a file that another one has taken the place of', async () => {
    await using place = openWorkplace()
    const service = await serveWholly(place)
    const path = join(place.dir, 'data/urlmeta.db')
    renameSync(path, `${path}.old`)
    writeFileSync(path, await Bun.file(`${path}.old`).bytes())
    await until(async () => (await readiness(service))[0] === 503)
    expect(await readiness(service)).toEqual([503, 'the database file was deleted or replaced'])
    renameSync(`${path}.old`, path)
    await until(async () => (await readiness(service))[0] === 200)
  })

  test('a write lock that another process holds', async () => {
    await using place = openWorkplace()
    const service = await serveWholly(place)
    using other = new Database(join(place.dir, 'data/urlmeta.db'))
    other.run('BEGIN IMMEDIATE')
    expect(await readiness(service)).toEqual([503, 'another process holds the database locked'])
    other.run('ROLLBACK')
    await until(async () => (await readiness(service))[0] === 200)
  })

  test('tables that were overwritten', async () => {
    await using place = openWorkplace()
    const service = await serveWholly(place)
    const path = join(place.dir, 'data/urlmeta.db')
    {
      using other = new Database(path)
      other.run('PRAGMA wal_checkpoint(TRUNCATE)')
    }
    const intact = await Bun.file(path).bytes()
    overwrite(path, 4_096, statSync(path).size - 4_096)
    await until(async () => (await readiness(service))[0] === 503)
    expect(await readiness(service)).toEqual([503, 'the database is damaged'])
    writeFileSync(path, intact)
    await until(async () => (await readiness(service))[0] === 200)
  })
})

describe('the cache is dispensable', () => {
  const cacheFile = (place: Workplace) => join(place.dir, 'data/urlmeta-cache.db')

  test('a damaged one is answered without, and rebuilt', async () => {
    await using place = openWorkplace()
    const key = await newKey(place)
    {
      const service = await place.serve(ENV)
      expect((await ask(service, key, '/page')).headers.get('x-cache')).toBe('MISS')
      service.kill('SIGTERM')
      expect(await service.exited).toBe(0)
    }
    overwrite(cacheFile(place), 4_096, statSync(cacheFile(place)).size - 4_096)
    const service = await place.serve(ENV)
    const caches = []
    for (let n = 0; n < 2; n++) {
      const response = await ask(service, key, '/page')
      caches.push([response.status, response.headers.get('x-cache')])
    }
    expect(caches).toEqual([
      [200, 'MISS'],
      [200, 'HIT'],
    ])
    using database = new Database(cacheFile(place))
    await until(() => database.query('SELECT count(*) AS n FROM results').get() !== null)
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  })

  test.each([
    ['that is no database', (path: string) => writeFileSync(path, 'not a database '.repeat(1_000))],
    ['of another version', (path: string) => using(path, 'PRAGMA user_version = 99')],
  ])('one %s is replaced', async (_, spoil) => {
    await using place = openWorkplace()
    const key = await newKey(place)
    spoil(cacheFile(place))
    const service = await place.serve(ENV)
    await ask(service, key, '/page')
    await until(async () => (await ask(service, key, '/page')).headers.get('x-cache') === 'HIT')
  })

  test('a result that was stored by a clock that ran ahead is no hit', async () => {
    await using place = openWorkplace()
    const key = await newKey(place)
    const url = `http://127.0.0.1:${origin.port}/page`
    {
      const service = await place.serve(ENV)
      await ask(service, key, '/page')
      service.kill('SIGTERM')
      await service.exited
    }
    using database = new Database(cacheFile(place))
    const inTenYears = Date.now() + 10 * 365 * 86_400_000
    database.run('UPDATE results SET stored_at = ?', [inTenYears])
    const service = await place.serve(ENV)
    expect((await ask(service, key, '/page')).headers.get('x-cache')).toBe('MISS')
    const storedAt = () => database.query('SELECT stored_at FROM results WHERE cache_key = ?').values(url)[0]?.[0]
    await until(() => Number(storedAt()) < inTenYears)
  })
})

/** Runs one statement on a database file. */
function using(path: string, statement: string) {
  const database = new Database(path, { create: true })
  database.run(statement)
  database.close()
}

describe('a database that must not be used is refused in one line, by the server and by commands', () => {
  test.each([
    [
      'of a newer version',
      'INSERT INTO __drizzle_migrations (hash, created_at) VALUES (0, 99999999999999)',
      'the database was written by a newer version of urlmeta. Run that version, or restore a backup',
    ],
    [
      'of another program',
      'DROP TABLE __drizzle_migrations',
      'the database belongs to another program. Point URLMETA_DATA_DIR to the directory of urlmeta',
    ],
  ])('%s', async (_, statement, message) => {
    await using place = openWorkplace()
    await newKey(place)
    using(join(place.dir, 'data/urlmeta.db'), statement)
    for (const args of [['serve'], ['key', 'list']]) await expectOneLine(place, args, message)
  })

  test.each([
    ['that is no database', 0, 100, 'the file is not a database'],
    ['with an overwritten schema', 100, 3_996, 'the database is damaged'],
  ])('%s', async (_, from, bytes, message) => {
    await using place = openWorkplace()
    await newKey(place)
    const path = join(place.dir, 'data/urlmeta.db')
    using(path, 'PRAGMA wal_checkpoint(TRUNCATE)')
    overwrite(path, from, bytes)
    for (const args of [['serve'], ['key', 'list']]) await expectOneLine(place, args, message)
  })

  test('that another process holds locked', async () => {
    await using place = openWorkplace()
    await newKey(place)
    using other = new Database(join(place.dir, 'data/urlmeta.db'))
    other.run('BEGIN IMMEDIATE')
    await expectOneLine(
      place,
      ['key', 'create', '--email', 'a@example.com'],
      'another process holds the database locked',
    )
  })
})

async function expectOneLine(place: Workplace, args: string[], message: string) {
  const { code, stdout, stderr } = await place.run(args, { URLMETA_PORT: '0' })
  expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringContaining(message)]])
  expect(stderr).toStartWith('urlmeta: ')
}

describeRoot('a disk', () => {
  test('that is full: not ready, requests fail without being charged, and all is well when there is room', async () => {
    await using place = openWorkplace()
    using disk = smallDisk(place.dir, 2_048)
    const env = { ...ENV, URLMETA_DATA_DIR: disk.path }
    const key = await newKey(place, env)
    const service = await place.serve(env)
    expect((await ask(service, key, '/first')).headers.get('x-monthly-used')).toBe('1')
    disk.fill()
    let failed = 0
    for (let n = 0; failed === 0; n++) if ((await ask(service, key, `/${n}`)).status === 500) failed++
    await until(async () => (await readiness(service))[0] === 503)
    expect(await readiness(service)).toEqual([503, 'the disk is full'])
    await expectOneLineIn(place, env, ['key', 'create', '--email', 'b@example.com'], 'the disk is full')
    disk.free()
    await until(async () => (await readiness(service))[0] === 200)
    expect((await ask(service, key, '/after')).status).toBe(200)
  })

  test('that is full from the start: the server and commands say so', async () => {
    await using place = openWorkplace()
    using disk = smallDisk(place.dir, 1_024)
    disk.fill()
    const env = { URLMETA_DATA_DIR: disk.path }
    const create = ['key', 'create', '--email', 'a@example.com']
    for (const args of [['serve'], create]) await expectOneLineIn(place, env, args, /the disk is full|no space left/)
    disk.free()
    expect((await place.run(create, env)).code).toBe(0)
  })

  test('that is read-only: not ready, commands say so, and all is well when it takes writes', async () => {
    await using place = openWorkplace()
    using disk = smallDisk(place.dir, 4_096)
    const env = { ...ENV, URLMETA_DATA_DIR: disk.path }
    await newKey(place, env)
    disk.remount('ro')
    for (const args of [['serve'], ['key', 'list'], ['key', 'create', '--email', 'b@example.com']]) {
      await expectOneLineIn(place, env, args, /read-only/i)
    }
    disk.remount('rw')
    expect((await place.run(['key', 'list'], env)).code).toBe(0)
  })

  test('of the log that is full: requests are answered and charged, and SIGTERM ends with 0', async () => {
    await using place = openWorkplace()
    using disk = smallDisk(place.dir, 64)
    const key = await newKey(place)
    const service = await serveInto(place, join(disk.path, 'log'))
    disk.fill()
    for (let n = 1; n <= 50; n++) {
      const response = await ask(service, key, `/${n}`)
      expect([response.status, response.headers.get('x-monthly-used')]).toEqual([200, String(n)])
    }
    disk.free()
    await ask(service, key, '/last')
    const log = () => Bun.file(join(disk.path, 'log')).text()
    await until(async () => (await log()).includes('log lines were lost'))
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
  })
})

async function expectOneLineIn(
  place: Workplace,
  env: Record<string, string>,
  args: string[],
  message: string | RegExp,
) {
  const { code, stdout, stderr } = await place.run(args, { ...env, URLMETA_PORT: '0' })
  expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringMatching(message)]])
}

/** Starts `serve` with its log going to a file, or to a pipe that nobody reads. */
async function serveInto(place: Workplace, log: string | 'unread') {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = Bun.spawn([join(import.meta.dir, '../dist/urlmeta')], {
    cwd: place.dir,
    env: { ...ENV, URLMETA_CHROMIUM: 'off', URLMETA_PORT: String(port) },
    stdin: 'ignore',
    stdout: log === 'unread' ? unreadPipe(join(place.dir, 'pipe')) : Bun.file(log),
    stderr: 'ignore',
  })
  await until(() =>
    fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    ),
  )
  return { url, kill: (signal: NodeJS.Signals) => child.kill(signal), exited: child.exited }
}

/** A log that cannot be read does not tell the port. */
async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const port = server.port!
  await server.stop(true)
  return port
}

/** A pipe that is open and that nobody reads: whoever writes more than 64 KB to it and waits, waits for ever. */
function unreadPipe(path: string): number {
  Bun.spawnSync(['mkfifo', path])
  return openSync(path, 'r+')
}

test('a reader of the log that hangs holds up no request, and SIGTERM ends with 0', async () => {
  await using place = openWorkplace()
  const key = await newKey(place)
  const service = await serveInto(place, 'unread')
  // Some 300 bytes a line: far more than the pipe holds.
  for (let n = 1; n <= 1_000; n++) {
    const response = await ask(service, key, '/page')
    expect([response.status, response.headers.get('x-monthly-used')]).toEqual([200, String(n)])
  }
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

describe('a request that was left half-sent does not hold up SIGTERM', () => {
  const head = 'POST /sign-in/link HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'
  test.each([
    ['in its head', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-'],
    ['in its body', `${head}Content-Length: 100\r\n\r\nabc`],
    ['before its first byte', null],
  ])(
    '%s',
    async (_, text) => {
      await using place = openWorkplace()
      const service = await place.serve(ENV)
      const key = await newKey(place)
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      socket.on('error', () => {}).resume()
      if (text !== null) await new Promise<void>((resolve) => socket.write(text, () => resolve()))
      const held = await askHeld(service, key)
      service.kill('SIGTERM')
      await until(() => service.output().includes('stopping'))
      held.release()
      // A whole request is answered all the same.
      expect((await held.response).status).toBe(200)
      expect(await service.exited).toBe(0)
      expect(service.output()).not.toContain('cut off')
    },
    // Less than the time after which an idle connection is closed anyway.
    10_000,
  )
})

describe('SIGHUP', () => {
  const lines = (service: Service, message: string) =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes(message))
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  test('takes over plans, allow-list and log level from .env, cuts nothing, and names what needs a restart', async () => {
    await using place = openWorkplace()
    const key = await newKey(place)
    const dotenv = (settings: Record<string, string>) =>
      writeFileSync(
        join(place.dir, '.env'),
        Object.entries(settings)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      )
    dotenv({ URLMETA_PLAN_FREE_PER_MINUTE: '50', URLMETA_CACHE_TTL: '1h' })
    const service = await place.serve({ URLMETA_ALLOW_PRIVATE_HOSTS: ENV.URLMETA_ALLOW_PRIVATE_HOSTS })
    const held = await askHeld(service, key)
    dotenv({ URLMETA_PLAN_FREE_PER_MINUTE: '60', URLMETA_CACHE_TTL: '2h', URLMETA_LOG: 'error' })
    service.kill('SIGHUP')
    await until(() => lines(service, 'take effect at the next start').length > 0)
    held.release()
    expect((await held.response).status).toBe(200)
    expect(lines(service, 'configuration reloaded')).toMatchObject([
      { changed: ['URLMETA_LOG', 'URLMETA_PLAN_FREE_PER_MINUTE'] },
    ])
    expect(lines(service, 'take effect at the next start')).toMatchObject([{ variables: ['URLMETA_CACHE_TTL'] }])
    const requestLines = lines(service, '"msg":"request"').length
    expect((await ask(service, key, '/page')).headers.get('x-ratelimit-limit')).toBe('60')
    expect(lines(service, '"msg":"request"')).toHaveLength(requestLines)
  })

  test('the allow-list counts from the next request on', async () => {
    await using place = openWorkplace()
    const key = await newKey(place)
    const service = await place.serve()
    expect((await ask(service, key, '/page')).status).toBe(400)
    writeFileSync(join(place.dir, '.env'), `URLMETA_ALLOW_PRIVATE_HOSTS=127.0.0.1:${origin.port}\n`)
    service.kill('SIGHUP')
    await until(() => lines(service, 'configuration reloaded').length > 0)
    expect((await ask(service, key, '/page')).status).toBe(200)
  })

  test('a faulty configuration changes nothing, and every fault is in the log', async () => {
    await using place = openWorkplace()
    const key = await newKey(place)
    const service = await place.serve(ENV)
    writeFileSync(join(place.dir, '.env'), 'URLMETA_PLAN_FREE_PER_MONTH=many\nURLMETA_LOGS=debug\n')
    service.kill('SIGHUP')
    await until(() => lines(service, 'reloading the configuration failed').length > 0)
    const [line] = lines(service, 'reloading the configuration failed')
    expect(JSON.stringify(line)).toMatch(/URLMETA_PLAN_FREE_PER_MONTH: expected.*URLMETA_LOGS: unknown variable/)
    expect((await ask(service, key, '/page')).status).toBe(200)
  })
})
