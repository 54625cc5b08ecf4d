import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closeSync, openSync, renameSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

import { openWorkspace, type Service, type Workspace } from './executable.ts'
import { createKey } from './new-key.ts'
import { openSite, until } from './site.ts'
import { describeRoot, smallDisk } from './small-disk.ts'
import { freePort } from './free-port.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite()
const ENV = { ...site.env, URLMETA_PLAN_FREE_PER_MINUTE: '100000' }

afterAll(() => site.close())

const readiness = async ({ url }: Service) => {
  const response = await fetch(`${url}/readyz`)
  return [response.status, ((await response.json()) as { reason?: string }).reason ?? 'ok'] as const
}

/** Starts a server and waits for its sign-in link, the last line that it writes when it starts. */
async function serveStarted(workspace: Workspace): Promise<Service> {
  const service = await workspace.serve(ENV)
  await until(() => service.output().includes('/sign-in/link'))
  return service
}

/** Opens a database that a server uses; statements wait while the server writes. */
function openShared(path: string): Database {
  const database = new Database(path)
  database.run('PRAGMA busy_timeout = 5000')
  return database
}

/** Overwrites part of a file, as a failing disk would. */
function overwrite(path: string, from: number, bytes: number) {
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(bytes, 0xaa), 0, bytes, from)
  closeSync(fd)
}

// Two of these tests wait 5 s for a lock, so all of them run concurrently. The tests of disks follow.
describe('/readyz reports a database fault, and recovers without a restart', () => {
  test.concurrent('a directory that was moved away and back', async () => {
    await using workspace = openWorkspace()
    const service = await serveStarted(workspace)
    const key = await createKey(workspace)
    renameSync(join(workspace.dir, 'data'), join(workspace.dir, 'elsewhere'))
    await until(async () => (await readiness(service))[0] === 503)
    expect(await readiness(service)).toEqual([503, 'the database file was deleted or replaced'])
    // Usage counted in the moved file would be lost at the next start.
    await until(async () => (await site.request(service, key, '/page')).status === 500)
    renameSync(join(workspace.dir, 'elsewhere'), join(workspace.dir, 'data'))
    await until(async () => (await readiness(service))[0] === 200)
    expect((await site.request(service, key, '/page')).status).toBe(200)
  })

  test.concurrent('a file that was replaced by another one', async () => {
    await using workspace = openWorkspace()
    const service = await serveStarted(workspace)
    const path = join(workspace.dir, 'data/urlmeta.db')
    renameSync(path, `${path}.old`)
    writeFileSync(path, await Bun.file(`${path}.old`).bytes())
    await until(async () => (await readiness(service))[0] === 503)
    expect(await readiness(service)).toEqual([503, 'the database file was deleted or replaced'])
    renameSync(`${path}.old`, path)
    await until(async () => (await readiness(service))[0] === 200)
  })

  test.concurrent.each([
    ['the write-ahead log', ['-wal']],
    ['the shared memory', ['-shm']],
    ['both', ['-wal', '-shm']],
  ])(
    'deleted files beside the database, %s: nothing is counted there, and a restart loses nothing',
    async (_, deleted) => {
      await using workspace = openWorkspace()
      const key = await createKey(workspace)
      const path = join(workspace.dir, 'data/urlmeta.db')
      {
        const service = await serveStarted(workspace)
        expect((await site.request(service, key, '/page')).headers.get('x-monthly-used')).toBe('1')
        for (const suffix of deleted) rmSync(path + suffix)
        expect(await readiness(service)).toEqual([503, 'the database file was deleted or replaced'])
        expect((await site.request(service, key, '/page')).status).toBe(500)
        service.kill('SIGTERM')
        expect(await service.exited).toBe(0)
      }
      const service = await serveStarted(workspace)
      expect((await readiness(service))[0]).toBe(200)
      expect((await site.request(service, key, '/page')).headers.get('x-monthly-used')).toBe('2')
      using database = openShared(path)
      expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    },
  )

  test.concurrent('a write lock held by another process', async () => {
    await using workspace = openWorkspace()
    const service = await serveStarted(workspace)
    using other = openShared(join(workspace.dir, 'data/urlmeta.db'))
    other.run('BEGIN IMMEDIATE')
    expect(await readiness(service)).toEqual([503, 'the database is locked by another process'])
    other.run('ROLLBACK')
    await until(async () => (await readiness(service))[0] === 200)
  })

  test.concurrent('a table that is missing', async () => {
    await using workspace = openWorkspace()
    const service = await serveStarted(workspace)
    using other = openShared(join(workspace.dir, 'data/urlmeta.db'))
    other.run('ALTER TABLE tickets RENAME TO elsewhere')
    await until(async () => (await readiness(service))[0] === 503)
    expect(await readiness(service)).toEqual([503, 'the database is damaged'])
    other.run('ALTER TABLE elsewhere RENAME TO tickets')
    await until(async () => (await readiness(service))[0] === 200)
  })

  test.concurrent('overwritten tables', async () => {
    await using workspace = openWorkspace()
    const service = await serveStarted(workspace)
    const path = join(workspace.dir, 'data/urlmeta.db')
    {
      using other = openShared(path)
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

describe('a faulty cache', () => {
  const cacheFile = (workspace: Workspace) => join(workspace.dir, 'data/urlmeta-cache.db')

  /** Why the cache was replaced, according to the log; undefined if it was not. */
  const replacedFor = (service: Service) =>
    /"reason":"(\w+)","msg":"the cache was replaced by an empty one"/.exec(service.output())?.[1]

  test.concurrent('if damaged, pages are fetched and it is recreated', async () => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    {
      const service = await workspace.serve(ENV)
      expect((await site.request(service, key, '/page')).headers.get('x-cache')).toBe('MISS')
      service.kill('SIGTERM')
      expect(await service.exited).toBe(0)
    }
    overwrite(cacheFile(workspace), 4_096, statSync(cacheFile(workspace)).size - 4_096)
    const service = await workspace.serve(ENV)
    const caches = []
    for (let n = 0; n < 2; n++) {
      const response = await site.request(service, key, '/page')
      caches.push([response.status, response.headers.get('x-cache')])
    }
    expect(caches).toEqual([
      [200, 'MISS'],
      [200, 'HIT'],
    ])
    using database = openShared(cacheFile(workspace))
    await until(() => database.query('SELECT 1 FROM results').get() !== null)
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    await until(() => replacedFor(service) === 'damaged')
  })

  test.concurrent.each([
    ['is not a database', (path: string) => writeFileSync(path, 'not a database '.repeat(1_000)), 'not_a_database'],
    ['has another version', (path: string) => execute(path, 'PRAGMA user_version = 99'), 'other_version'],
  ])('that %s is replaced', async (_, damage, reason) => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    damage(cacheFile(workspace))
    const service = await workspace.serve(ENV)
    await site.request(service, key, '/page')
    await until(async () => (await site.request(service, key, '/page')).headers.get('x-cache') === 'HIT')
    await until(() => replacedFor(service) !== undefined)
    expect(replacedFor(service)).toBe(reason)
  })

  test.concurrent('if the process was killed, it is used', async () => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    {
      const service = await workspace.serve(ENV)
      await site.request(service, key, '/page')
      // Results are written to the file in batches, some milliseconds after the response.
      using database = openShared(cacheFile(workspace))
      await until(() => database.query('SELECT 1 FROM results').get() !== null)
      service.kill('SIGKILL')
      await service.exited
    }
    const service = await workspace.serve(ENV)
    expect((await site.request(service, key, '/page')).headers.get('x-cache')).toBe('HIT')
    expect(replacedFor(service)).toBeUndefined()
  })

  test.concurrent('a result dated in the future is not used', async () => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    {
      const service = await workspace.serve(ENV)
      await site.request(service, key, '/page')
      service.kill('SIGTERM')
      await service.exited
    }
    using database = openShared(cacheFile(workspace))
    const inTenYears = Date.now() + 10 * 365 * 86_400_000
    expect(database.run('UPDATE results SET stored_at = ?', [inTenYears]).changes).toBe(1)
    const service = await workspace.serve(ENV)
    expect((await site.request(service, key, '/page')).headers.get('x-cache')).toBe('MISS')
    const storedAt = () => database.query('SELECT stored_at FROM results').values()[0]?.[0]
    await until(() => Number(storedAt()) < inTenYears)
  })
})

/** Runs one statement on a database file. */
function execute(path: string, statement: string) {
  const database = new Database(path, { create: true })
  database.run(statement)
  database.close()
}

describe('an unusable database is rejected in one line by the server and by commands', () => {
  test.concurrent.each([
    [
      'of a newer version',
      'INSERT INTO __drizzle_migrations (hash, created_at) VALUES (0, 99999999999999)',
      'the database was written by a newer version of urlmeta. Run that version, or restore a backup',
    ],
    [
      'of an unknown schema',
      `UPDATE __drizzle_migrations SET hash = 'of the first versions'`,
      'the database has an unknown schema. It is older than version 0.1.0, or another program has changed it.',
    ],
    [
      'of another program',
      'DROP TABLE __drizzle_migrations',
      'the database belongs to another program. Point URLMETA_DATA_DIR to the directory of urlmeta',
    ],
  ])('%s', async (_, statement, message) => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    execute(join(workspace.dir, 'data/urlmeta.db'), statement)
    for (const args of [['serve'], ['key', 'list']]) await expectOneLine(workspace, args, message)
  })

  test.concurrent.each([
    ['that is not a database', 0, 100, 'the file is not a database'],
    ['with an overwritten schema', 100, 3_996, 'the database is damaged'],
  ])('%s', async (_, from, bytes, message) => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const path = join(workspace.dir, 'data/urlmeta.db')
    execute(path, 'PRAGMA wal_checkpoint(TRUNCATE)')
    overwrite(path, from, bytes)
    for (const args of [['serve'], ['key', 'list']]) await expectOneLine(workspace, args, message)
  })

  test.concurrent('locked by another process', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    using other = new Database(join(workspace.dir, 'data/urlmeta.db'))
    other.run('BEGIN IMMEDIATE')
    await expectOneLine(
      workspace,
      ['key', 'create', '--email', 'a@example.com'],
      'the database is locked by another process',
    )
    expect((await workspace.run(['key', 'list'])).code).toBe(0)
  })
})

async function expectOneLine(workspace: Workspace, args: string[], message: string) {
  const { code, stdout, stderr } = await workspace.run(args, { URLMETA_PORT: '0' })
  expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringContaining(message)]])
  expect(stderr).toStartWith('urlmeta: ')
}

describeRoot('faults of the disk', () => {
  test('a full disk: not ready, requests fail without a charge; recovers when there is space', async () => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, 2_048)
    const env = { ...ENV, URLMETA_DATA_DIR: disk.path }
    const key = await createKey(workspace, env)
    const service = await workspace.serve(env)
    expect((await site.request(service, key, '/first')).headers.get('x-monthly-used')).toBe('1')
    disk.fill()
    let charged = 1
    for (let status = 200; status !== 500;) {
      status = (await site.request(service, key, `/${charged}`)).status
      if (status === 200) charged++
    }
    await until(async () => (await readiness(service))[0] === 503)
    expect(await readiness(service)).toEqual([503, 'the disk is full'])
    await expectOneLineIn(workspace, env, ['key', 'create', '--email', 'b@example.com'], 'the disk is full')
    disk.free()
    await until(async () => (await readiness(service))[0] === 200)
    const after = await site.request(service, key, '/after')
    expect([after.status, after.headers.get('x-monthly-used')]).toEqual([200, String(charged + 1)])
  })

  test('commands report a full disk when no server runs', async () => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, 2_048)
    const env = { URLMETA_DATA_DIR: disk.path }
    await createKey(workspace, env)
    disk.fill()
    for (const args of [
      ['key', 'list'],
      ['key', 'create', '--email', 'b@example.com'],
    ])
      await expectOneLineIn(workspace, env, args, 'the disk is full. Free space')
  })

  test('a disk that is full from the start: the server and commands report it', async () => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, 1_024)
    disk.fill()
    const env = { URLMETA_DATA_DIR: disk.path }
    const create = ['key', 'create', '--email', 'a@example.com']
    for (const args of [['serve'], create])
      await expectOneLineIn(workspace, env, args, /the disk is full|no space left/)
    disk.free()
    expect((await workspace.run(create, env)).code).toBe(0)
  })

  test('a disk that becomes full during a migration: the server and commands report it', async () => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, 160)
    const env = { URLMETA_DATA_DIR: disk.path }
    for (const args of [['serve'], ['key', 'create', '--email', 'a@example.com']])
      await expectOneLineIn(workspace, env, args, /the disk is full\. Free space/)
  })

  test('a read-only disk: the server and commands report it; recovers when it is writable', async () => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, 4_096)
    const env = { ...ENV, URLMETA_DATA_DIR: disk.path }
    await createKey(workspace, env)
    disk.remount('ro')
    for (const args of [['serve'], ['key', 'list'], ['key', 'create', '--email', 'b@example.com']]) {
      await expectOneLineIn(workspace, env, args, /read-only/i)
    }
    disk.remount('rw')
    expect((await workspace.run(['key', 'list'], env)).code).toBe(0)
  })

  test('a full disk of the log: requests are served and charged, and SIGTERM exits with 0', async () => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, 64)
    const key = await createKey(workspace)
    const service = await serveInto(workspace, join(disk.path, 'log'))
    disk.fill()
    for (let n = 1; n <= 50; n++) {
      const response = await site.request(service, key, `/${n}`)
      expect([response.status, response.headers.get('x-monthly-used')]).toEqual([200, String(n)])
    }
    await requestInOneTurn(service.url)
    disk.free()
    await site.request(service, key, '/last')
    const log = () => Bun.file(join(disk.path, 'log')).text()
    await until(async () => (await log()).includes('lines were dropped'))
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
  })
})

async function expectOneLineIn(
  workspace: Workspace,
  env: Record<string, string>,
  args: string[],
  message: string | RegExp,
) {
  const { code, stdout, stderr } = await workspace.run(args, { ...env, URLMETA_PORT: '0' })
  expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringMatching(message)]])
}

/** Sends requests that the server answers in one turn of its event loop, so that their log lines are one long text. */
async function requestInOneTurn(url: string) {
  const count = 50
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let answers = ''
  await using socket = connect(Number(port), hostname).on('data', (bytes) => {
    answers += bytes
    if (answers.split('HTTP/1.1 200').length > count) resolve()
  })
  socket.on('close', () => reject(new Error('the server closed the connection')))
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count))
  await promise
}

/** Starts `serve` with its log in a file or a named pipe. */
async function serveInto(workspace: Workspace, log: string) {
  // The port of the server cannot be read from its log here.
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const stdout = openSync(log, 'a')
  const child = Bun.spawn([join(import.meta.dir, '../dist/urlmeta')], {
    cwd: workspace.dir,
    env: { ...ENV, URLMETA_CHROMIUM: 'off', URLMETA_PORT: String(port) },
    stdin: 'ignore',
    stdout,
    stderr: 'ignore',
  })
  closeSync(stdout)
  await until(() =>
    fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    ),
  )
  return { url, kill: (signal: NodeJS.Signals) => child.kill(signal), exited: child.exited }
}

/** Creates a pipe that is never read: writing more than 64 KB to it blocks. Disposing it closes the only reader. */
function unreadPipe({ dir }: Workspace) {
  const path = join(dir, 'pipe')
  Bun.spawnSync(['mkfifo', path])
  const reader = openSync(path, 'r+')
  return { path, [Symbol.dispose]: () => closeSync(reader) }
}

test('a log file that logrotate truncates continues at its beginning', async () => {
  await using workspace = openWorkspace()
  const path = join(workspace.dir, 'log')
  const log = () => Bun.file(path).text()
  const service = await serveInto(workspace, path)
  await until(async () => (await log()).includes('"msg":"request"'))
  truncateSync(path)
  await fetch(service.url)
  await until(async () => (await log()).includes('"msg":"request"'))
  expect(JSON.parse((await log()).split('\n')[0]!)).toMatchObject({ msg: 'request', route: '/' })
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

test('a reader of the log that hangs delays no request, and SIGTERM exits with 0', async () => {
  await using workspace = openWorkspace()
  const key = await createKey(workspace)
  using pipe = unreadPipe(workspace)
  const service = await serveInto(workspace, pipe.path)
  // About 300 bytes per line, which is far more than the pipe can buffer.
  for (let n = 1; n <= 500; n++) {
    const response = await site.request(service, key, '/page')
    expect([response.status, response.headers.get('x-monthly-used')]).toEqual([200, String(n)])
  }
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

test('a reader of the log that is gone: requests are served, and SIGTERM exits with 0', async () => {
  await using workspace = openWorkspace()
  const start = async () => {
    using pipe = unreadPipe(workspace)
    return await serveInto(workspace, pipe.path)
  }
  const service = await start()
  await requestInOneTurn(service.url)
  await requestInOneTurn(service.url)
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

describe('an incomplete request does not delay SIGTERM', () => {
  const head = 'POST /sign-in/link HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'
  test.each([
    ['in its head', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-'],
    ['in its body', `${head}Content-Length: 100\r\n\r\nabc`],
    ['before its first byte', null],
  ])(
    '%s',
    async (_, text) => {
      await using workspace = openWorkspace()
      const key = await createKey(workspace)
      const service = await workspace.serve(ENV)
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      socket.on('error', () => {}).resume()
      if (text !== null) await new Promise<void>((resolve) => socket.write(text, () => resolve()))
      const held = await site.requestHeld(service, key)
      service.kill('SIGTERM')
      await until(() => service.output().includes('stopping'))
      held.release()
      // A complete request still gets a response.
      expect((await held.response).status).toBe(200)
      expect(await service.exited).toBe(0)
      expect(service.output()).not.toContain('closing connections')
    },
    // Less than the time after which an idle connection is closed.
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

  test('applies plans, allow-list and log level from .env, interrupts no request, and lists variables that need a restart', async () => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    const dotenv = (settings: Record<string, string>) =>
      writeFileSync(
        join(workspace.dir, '.env'),
        Object.entries(settings)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      )
    dotenv({ URLMETA_PLAN_FREE_PER_MINUTE: '50', URLMETA_CACHE_TTL: '1h' })
    const service = await workspace.serve(site.env)
    const held = await site.requestHeld(service, key)
    dotenv({ URLMETA_PLAN_FREE_PER_MINUTE: '60', URLMETA_CACHE_TTL: '2h', URLMETA_LOG: 'error' })
    service.kill('SIGHUP')
    await until(() => lines(service, 'take effect after a restart').length > 0)
    held.release()
    expect((await held.response).status).toBe(200)
    expect(lines(service, 'configuration reloaded')).toMatchObject([
      { changed: ['URLMETA_LOG', 'URLMETA_PLAN_FREE_PER_MINUTE'] },
    ])
    expect(lines(service, 'take effect after a restart')).toMatchObject([{ variables: ['URLMETA_CACHE_TTL'] }])
    expect((await site.request(service, key, '/page')).headers.get('x-ratelimit-limit')).toBe('60')
    // All lines are written before it exits. Both requests ended after the reload.
    service.kill('SIGTERM')
    await service.exited
    expect(lines(service, '"msg":"request"')).toEqual([])
  })

  test('the allow-list applies from the next request', async () => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    const service = await workspace.serve()
    expect((await site.request(service, key, '/page')).status).toBe(400)
    writeFileSync(join(workspace.dir, '.env'), `URLMETA_ALLOW_PRIVATE_HOSTS=${site.env.URLMETA_ALLOW_PRIVATE_HOSTS}\n`)
    service.kill('SIGHUP')
    await until(() => lines(service, 'configuration reloaded').length > 0)
    expect((await site.request(service, key, '/page')).status).toBe(200)
  })

  test('the rules for sites apply from the next request', async () => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    const file = join(workspace.dir, 'sites.json')
    const writeRule = (walls: object) => writeFileSync(file, JSON.stringify([{ hosts: ['127.0.0.1'], walls }]))
    writeRule({})
    const service = await workspace.serve({ ...site.env, URLMETA_SITES: file })
    expect((await site.request(service, key, '/page')).status).toBe(200)
    writeRule({ challengeStatuses: [200] })
    service.kill('SIGHUP')
    await until(() => lines(service, 'configuration reloaded').length > 0)
    expect(lines(service, 'configuration reloaded')).toMatchObject([{ changed: ['URLMETA_SITES'] }])
    expect((await site.request(service, key, '/page?new')).status).toBe(502)
  })

  test('an invalid configuration changes nothing, and every problem is in the log', async () => {
    await using workspace = openWorkspace()
    const key = await createKey(workspace)
    const service = await workspace.serve(ENV)
    writeFileSync(join(workspace.dir, '.env'), 'URLMETA_PLAN_FREE_PER_MONTH=many\nURLMETA_LOGS=debug\n')
    service.kill('SIGHUP')
    await until(() => lines(service, 'reloading the configuration failed').length > 0)
    const [line] = lines(service, 'reloading the configuration failed')
    expect(JSON.stringify(line)).toMatch(/URLMETA_PLAN_FREE_PER_MONTH: expected.*URLMETA_LOGS: unknown variable/)
    expect((await site.request(service, key, '/page')).status).toBe(200)
  })
})
