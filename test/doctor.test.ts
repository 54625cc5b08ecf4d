import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

import { atMost } from './at-most.ts'
import { EXECUTABLE, openWorkspace, type Workspace } from './executable.ts'
import { startRemoteChromium, type RemoteBrowser } from './fetch/remote-chromium.ts'
import { freePort } from './free-port.ts'
import { makeCertificates } from './origin/certificates.ts'
import { openTestProxy } from './origin/egress-proxy.ts'
import { startRedis, type RedisServer } from './redis.ts'
import { chromium, describeChromium, describeRedis } from './requirements.ts'
import { createKey } from './new-key.ts'
import { describeRoot, smallDisk } from './small-disk.ts'
import { DIALECTS } from './store/database-fixtures.ts'
import { typicalCases } from './thorough.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const YEAR_2001 = 'Mon, 01 Jan 2001 00:00:00 GMT'
const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname, origin: self } = new URL(request.url)
    if (pathname === '/past') return new Response('past', { headers: { date: YEAR_2001 } })
    if (pathname === '/.well-known/openid-configuration') {
      return Response.json({
        issuer: self,
        authorization_endpoint: `${self}/authorize`,
        token_endpoint: `${self}/token`,
      })
    }
    return new Response('a page', { headers: { date: new Date().toUTCString() } })
  },
})
afterAll(() => origin.stop(true))
/** A port without a listener. */
const CLOSED_PORT = freePort()
const page = (path: string) => `http://127.0.0.1:${origin.port}${path}`
const ALLOWED = { URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}` }
const REACHABLE = ['--url', page('/')]

interface Finding {
  name: string
  status: 'ok' | 'skipped' | 'warning' | 'failed'
  detail: string
  remedy?: string
}

/**
 * Concurrent examinations. Some wait for seconds, and the others run meanwhile; with too many at the same time all would
 * reach their deadlines.
 */
const limited = atMost(6)

async function examine(workspace: Workspace, env: Record<string, string> = {}, args: readonly string[] = REACHABLE) {
  const command = ['doctor', '--json', ...args]
  const { code, stdout, stderr } = await limited(() => workspace.run(command, { ...ALLOWED, ...env }))
  if (stdout === '') throw new Error(stderr)
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Finding[] }
  expect(ok).toBe(code === 0)
  for (const { status, remedy } of checks) {
    if (status === 'warning' || status === 'failed') expect(remedy).toMatch(/\w{3}/)
    else expect(remedy).toBeUndefined()
  }
  return { code, checks, find: (name: string) => checks.find((check) => check.name === name) }
}

const databaseOf = (workspace: Workspace) => join(workspace.dir, 'data/urlmeta.db')

const change = (workspace: Workspace, statement: string) => execute(databaseOf(workspace), statement)

function execute(path: string, statement: string) {
  using database = new Database(path)
  database.run(statement)
}

describe('without a fault', () => {
  test('every check is ok or skipped, and the exit code is 0', async () => {
    await using workspace = openWorkspace()
    const env = { ...ALLOWED, URLMETA_BACKUP_DIR: 'backups' }
    const service = await workspace.serve(env)
    while (!service.output().includes('backup written')) await Bun.sleep(20)
    const base = { ...env, URLMETA_BASE_URL: service.url }
    const { code, checks } = await examine(workspace, base, [...REACHABLE, '--strict'])
    expect(Object.fromEntries(checks.map(({ name, status }) => [name, status]))).toEqual({
      'configuration files': 'ok',
      'data directory': 'ok',
      'free space': 'ok',
      server: 'ok',
      database: 'ok',
      migrations: 'ok',
      secret: 'ok',
      backups: 'ok',
      Redis: 'skipped',
      clock: 'ok',
      DNS: 'ok',
      'outbound HTTP': 'ok',
      'outbound HTTPS': 'skipped',
      'certificate authorities': 'ok',
      'base URL': 'ok',
      'reverse proxy': 'skipped',
      links: 'ok',
      'rules for sites': 'skipped',
      'egress guard, http': 'ok',
      'expired rows': 'ok',
      // Disabled in all tests of the executable.
      Chromium: 'skipped',
      'egress guard, headless': 'skipped',
    })
    expect(code).toBe(0)
    expect((await workspace.run(['doctor', ...REACHABLE], base)).stdout).toEndWith('\nNo problems found.\n')
  })

  test('a restored database that nothing has opened yet is ok', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    await workspace.run(['backup', 'copy.db'])
    expect((await workspace.run(['restore', 'copy.db'])).code).toBe(0)
    expect((await examine(workspace)).find('database')).toMatchObject({ status: 'ok' })
  })

  test('an empty directory stays empty', async () => {
    await using workspace = openWorkspace()
    const { find } = await examine(workspace)
    expect(find('data directory')).toEqual({
      name: 'data directory',
      status: 'ok',
      detail: './data will be created by the server',
    })
    expect(find('database')).toMatchObject({ status: 'skipped' })
    expect([...new Bun.Glob('**').scanSync({ cwd: workspace.dir, dot: true, onlyFiles: false })]).toEqual([])
  })

  test('warnings only fail with --strict', async () => {
    await using workspace = openWorkspace()
    expect(await examine(workspace)).toMatchObject({ code: 0 })
    const { code, find } = await examine(workspace, {}, [...REACHABLE, '--strict'])
    expect([code, find('backups')?.status]).toEqual([1, 'warning'])
  })
})

// The two tests that wait for seconds start first.
test.concurrent('without internet access it finishes, and reports what is missing', async () => {
  await using workspace = openWorkspace()
  const silent = await Bun.udpSocket({ hostname: '127.0.0.1' })
  const { code, find } = await examine(workspace, { URLMETA_DNS_SERVERS: `127.0.0.1:${silent.port}` }, [])
  silent.close()
  expect(code).toBe(1)
  expect(find('clock')?.status).toBe('skipped')
  for (const name of ['DNS', 'outbound HTTP', 'outbound HTTPS']) {
    expect(find(name)).toMatchObject({ status: 'failed', remedy: expect.stringContaining('--url') })
  }
})

/** A fault, the check that must find it, and parts of its detail and remedy. */
type Case = [
  name: string,
  provoke: (workspace: Workspace) => unknown,
  env: Record<string, string>,
  check: string,
  status: Finding['status'],
  detail: string,
  remedy: string,
]

const nothing = () => {}

describe('each fault is found, with a remedy', () => {
  test.concurrent('a lock held by another process', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    using other = new Database(databaseOf(workspace))
    other.run('BEGIN IMMEDIATE')
    const { code, find } = await examine(workspace)
    expect([code, find('database')?.detail]).toEqual([1, 'the database is locked by another process'])
  })

  test.concurrent('migrations that have not been applied', async () => {
    await using workspace = openWorkspace()
    mkdirSync(join(workspace.dir, 'data'))
    execute(databaseOf(workspace), DIALECTS.sqlite.createMigratorTables)
    const { find } = await examine(workspace)
    expect(find('migrations')).toMatchObject({
      status: 'warning',
      detail: 'migrations are pending',
      remedy: expect.stringContaining('restart the server'),
    })
  })

  const faults: Case[] = [
    [
      'configuration files that every user can read',
      (workspace) => {
        writeFileSync(join(workspace.dir, '.env'), '', { mode: 0o644 })
        writeFileSync(join(workspace.dir, 'sites.json'), '[]', { mode: 0o604 })
      },
      { URLMETA_SITES: 'sites.json' },
      'configuration files',
      'warning',
      'every user of this machine can read .env sites.json',
      'chmod o= .env sites.json',
    ],
    [
      'a data directory that others can list',
      async (workspace) => (await createKey(workspace), chmodSync(join(workspace.dir, 'data'), 0o755)),
      {},
      'data directory',
      'warning',
      'others can list ./data',
      'chmod 700 ./data',
    ],
    [
      'a file that others can read',
      async (workspace) => (
        await createKey(workspace),
        writeFileSync(join(workspace.dir, 'data/notes'), '', { mode: 0o644 })
      ),
      {},
      'data directory',
      'warning',
      'others can read or write notes',
      'chmod go= data/notes',
    ],
    [
      'a file with the name of the data directory',
      (workspace) => writeFileSync(join(workspace.dir, 'data'), ''),
      {},
      'data directory',
      'failed',
      'cannot write to ./data',
      'Make ./data writable',
    ],
    [
      'a file that is not a secret',
      async (workspace) => (await createKey(workspace), writeFileSync(join(workspace.dir, 'data/secret'), '')),
      {},
      'secret',
      'failed',
      'data/secret is not a urlmeta secret',
      'or restore it',
    ],
    [
      'a damaged database',
      async (workspace) => {
        await createKey(workspace)
        change(workspace, 'PRAGMA wal_checkpoint(TRUNCATE)')
        const fd = openSync(databaseOf(workspace), 'r+')
        writeSync(fd, Buffer.alloc(8_192, 0xaa), 0, 8_192, statSync(databaseOf(workspace)).size - 8_192)
        closeSync(fd)
      },
      {},
      'database',
      'failed',
      'the database is damaged',
      'urlmeta restore FILE',
    ],
    [
      'a database of a newer version',
      async (workspace) => {
        await createKey(workspace)
        change(workspace, 'INSERT INTO __drizzle_migrations (hash, created_at) VALUES (0, 99999999999999)')
      },
      {},
      'migrations',
      'failed',
      'a newer version of urlmeta',
      'Run that version',
    ],
    [
      'a database of an unknown schema',
      async (workspace) => (
        await createKey(workspace),
        change(workspace, 'UPDATE __drizzle_migrations SET created_at = 1')
      ),
      {},
      'database',
      'failed',
      'an unknown schema',
      'older than version 0.1.0',
    ],
    [
      'a database without a table',
      async (workspace) => (await createKey(workspace), change(workspace, 'DROP TABLE tickets')),
      {},
      'database',
      'failed',
      'an unknown schema (table "tickets" is missing)',
      'another program has changed it',
    ],
    ['no backups', nothing, {}, 'backups', 'warning', 'no backups are scheduled', 'Set URLMETA_BACKUP_DIR'],
    [
      'no backup yet',
      nothing,
      { URLMETA_BACKUP_DIR: 'backups' },
      'backups',
      'failed',
      'no backup in backups',
      'reason of a failed backup',
    ],
    [
      'a backup that is cut off',
      (workspace) => {
        mkdirSync(join(workspace.dir, 'backups'))
        writeFileSync(join(workspace.dir, 'backups/urlmeta-20260101T000000Z.db'), 'S')
      },
      { URLMETA_BACKUP_DIR: 'backups' },
      'backups',
      'failed',
      'no backup in backups',
      'reason of a failed backup',
    ],
    [
      'a backup dated in the future',
      (workspace) => {
        mkdirSync(join(workspace.dir, 'backups'))
        const file = join(workspace.dir, 'backups/urlmeta-21000101T000000Z.db')
        execute(file, 'CREATE TABLE a (b)')
        utimesSync(file, 4_102_444_800, 4_102_444_800)
      },
      { URLMETA_BACKUP_DIR: 'backups' },
      'backups',
      'failed',
      'no backup in backups',
      'reason of a failed backup',
    ],
    [
      'an outdated backup',
      (workspace) => {
        mkdirSync(join(workspace.dir, 'backups'))
        const file = join(workspace.dir, 'backups/urlmeta-20200101T000000Z.db')
        execute(file, 'CREATE TABLE a (b)')
        utimesSync(file, 1_577_836_800, 1_577_836_800)
      },
      { URLMETA_BACKUP_DIR: 'backups' },
      'backups',
      'failed',
      'h old',
      'reason of a failed backup',
    ],
    [
      'a missing file of root certificates',
      nothing,
      { NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' },
      'certificate authorities',
      'failed',
      'there is no file /nowhere/ca.pem',
      'NODE_EXTRA_CA_CERTS',
    ],
    [
      'a proxy that is not trusted',
      nothing,
      { URLMETA_BASE_URL: 'https://meta.example' },
      'reverse proxy',
      'warning',
      'count as one',
      'URLMETA_TRUSTED_PROXIES',
    ],
    [
      'every address trusted as a proxy',
      nothing,
      { URLMETA_TRUSTED_PROXIES: '0.0.0.0/0' },
      'reverse proxy',
      'warning',
      'trusted from every address',
      'URLMETA_TRUSTED_PROXIES',
    ],
    [
      'links to localhost',
      nothing,
      { URLMETA_HOST: '0.0.0.0' },
      'links',
      'warning',
      'lead to localhost',
      'URLMETA_BASE_URL',
    ],
    [
      'rules with secrets that the pages of a key can use',
      async (workspace) => {
        await createKey(workspace)
        change(workspace, "INSERT INTO key_origins (origin, key_id) SELECT 'https://a.example', id FROM api_keys")
        const rules = JSON.stringify([{ hosts: ['a.example'], cookies: { session: 'x' } }])
        writeFileSync(join(workspace.dir, 'sites.json'), rules, { mode: 0o600 })
      },
      { URLMETA_SITES: 'sites.json' },
      'rules for sites',
      'warning',
      'by keys with allowed origins',
      'another server',
    ],
    [
      'an issuer without a discovery document',
      nothing,
      { URLMETA_OIDC_X_ISSUER: page('/nothing'), URLMETA_OIDC_X_CLIENT_ID: 'i', URLMETA_OIDC_X_CLIENT_SECRET: 's' },
      'sign-in with x',
      'failed',
      '/nothing/.well-known/openid-configuration',
      'URLMETA_',
    ],
    [
      'an issuer with another name in its discovery document',
      nothing,
      { URLMETA_OIDC_X_ISSUER: page('/'), URLMETA_OIDC_X_CLIENT_ID: 'i', URLMETA_OIDC_X_CLIENT_SECRET: 's' },
      'sign-in with x',
      'failed',
      `127.0.0.1:${origin.port}`,
      'URLMETA_',
    ],
    [
      'an allow-list with every loopback port',
      nothing,
      { URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.0/8' },
      'egress guard, http',
      'warning',
      'lets fetches reach every port of this machine',
      'host:port',
    ],
    [
      'a missing Chromium',
      nothing,
      { URLMETA_CHROMIUM: '/nowhere/chromium' },
      'Chromium',
      'failed',
      '/nowhere/chromium does not start',
      'URLMETA_CHROMIUM',
    ],
    [
      'a Chromium that exits immediately',
      nothing,
      { URLMETA_CHROMIUM: '/bin/false' },
      'Chromium',
      'failed',
      '/bin/false does not start',
      'URLMETA_CHROMIUM',
    ],
  ]
  // By default one for each result of a check.
  const isFirst = ([, , , check, status]: Case, i: number) =>
    faults.findIndex((one) => one[3] === check && one[4] === status) === i
  test.concurrent.each(typicalCases(faults, isFirst))('%s', async (_, provoke, env, check, status, detail, remedy) => {
    await using workspace = openWorkspace()
    await provoke(workspace)
    const { code, find } = await examine(workspace, env)
    expect(find(check)).toEqual({
      name: check,
      status,
      detail: expect.stringContaining(detail),
      remedy: expect.stringContaining(remedy),
    })
    expect(code).toBe(status === 'failed' ? 1 : 0)
  })

  test.concurrent('a correct issuer is ok', async () => {
    await using workspace = openWorkspace()
    const env = {
      URLMETA_OIDC_X_ISSUER: page(''),
      URLMETA_OIDC_X_CLIENT_ID: 'i',
      URLMETA_OIDC_X_CLIENT_SECRET: 's',
    }
    expect((await examine(workspace, env)).find('sign-in with x')).toMatchObject({ status: 'ok' })
  })

  test.concurrent.each([
    ['an address without a listener', 'http://127.0.0.1:1', 'connect'],
    ['another service', page(''), 'not from urlmeta'],
  ])('a base URL that leads to %s', async (_, baseUrl, why) => {
    await using workspace = openWorkspace()
    await workspace.serve(ALLOWED)
    const { code, find } = await examine(workspace, { URLMETA_BASE_URL: baseUrl })
    expect([code, find('base URL')]).toMatchObject([
      1,
      {
        status: 'failed',
        detail: expect.stringMatching(new RegExp(why, 'i')),
        remedy: expect.stringContaining('URLMETA_BASE_URL'),
      },
    ])
  })
})

test('a base URL without TLS is a warning, except on this machine', async () => {
  await using workspace = openWorkspace()
  const { url } = await workspace.serve(ALLOWED)
  // A name that begins like a loopback address, and resolves to one.
  const baseUrl = url.replace('127.0.0.1', '127.a.localhost')
  expect((await examine(workspace, { URLMETA_BASE_URL: baseUrl })).find('base URL')).toEqual({
    name: 'base URL',
    status: 'warning',
    detail: `${baseUrl} is served without TLS`,
    remedy: expect.stringContaining('reverse proxy with TLS'),
  })
})

describe('the network', () => {
  const faults: [name: string, url: string, env: Record<string, string>, check: string, remedy: string][] = [
    ['a wrong clock', page('/past'), {}, 'clock', 'Set the clock by NTP'],
    [
      'an unresponsive DNS server',
      'http://nowhere.example/',
      { URLMETA_DNS_SERVERS: '127.0.0.1:1' },
      'DNS',
      'URLMETA_DNS_SERVERS',
    ],
    ['an unknown name', 'http://nowhere.invalid/', {}, 'outbound HTTP', 'URLMETA_DNS_SERVERS'],
    [
      'a refused connection',
      `http://127.0.0.1:${CLOSED_PORT}/`,
      { URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${CLOSED_PORT}` },
      'outbound HTTP',
      'firewall',
    ],
    ['a private page that is not allowed', 'http://127.0.0.1:1/', {}, 'outbound HTTP', 'URLMETA_ALLOW_PRIVATE_HOSTS'],
  ]
  const isFirst = ([, , , check]: (typeof faults)[number], i: number) =>
    faults.findIndex((one) => one[3] === check) === i
  test.concurrent.each(typicalCases(faults, isFirst))('%s', async (_, url, env, check, remedy) => {
    await using workspace = openWorkspace()
    const { code, find } = await examine(workspace, env, ['--url', url])
    expect([code, find(check)]).toMatchObject([1, { status: 'failed', remedy: expect.stringContaining(remedy) }])
  })

  test.concurrent.each([
    ['ok', 'yes', 'synchronized by NTP'],
    ['warning', 'no', 'not synchronized by NTP'],
  ])('without internet access, the clock is %s if timedatectl says %s', async (status, answer, detail) => {
    await using workspace = openWorkspace()
    writeFileSync(join(workspace.dir, 'timedatectl'), `#!/bin/sh\necho ${answer}\n`, { mode: 0o755 })
    const env = { PATH: `${workspace.dir}:${process.env['PATH']}` }
    const { find } = await examine(workspace, env, ['--url', `http://127.0.0.1:${CLOSED_PORT}/`])
    expect(find('clock')).toMatchObject({ status, detail })
  })

  test.concurrent('an egress proxy that refuses', async () => {
    await using workspace = openWorkspace()
    await using proxy = await openTestProxy({ kind: 'http', credentials: 'jo:secret' })
    const { find } = await examine(workspace, { URLMETA_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}` })
    expect(find('outbound HTTP')).toEqual({
      name: 'outbound HTTP',
      status: 'failed',
      detail: `${page('/')}: egress proxy: 407`,
      remedy: expect.stringContaining('URLMETA_EGRESS_PROXY'),
    })
  })

  test.concurrent('an untrusted certificate', async () => {
    await using workspace = openWorkspace()
    const { selfSigned: tls } = await makeCertificates(['127.0.0.1'])
    await using server = Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch: () => new Response('') })
    const url = `https://127.0.0.1:${server.port}/`
    const { find } = await examine(workspace, { URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${server.port}` }, [
      '--url',
      url,
    ])
    expect(find('outbound HTTPS')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('TLS error'),
      remedy: expect.stringContaining('intercepts TLS'),
    })
  })

  test.concurrent('an invalid --url is incorrect usage', async () => {
    await using workspace = openWorkspace()
    expect((await workspace.run(['doctor', '--url', 'example.com'])).code).toBe(2)
  })
})

describeRoot('run by a user without permissions', () => {
  /** Examines as a user that can enter the workspace, but not change it. */
  async function examineAsOther(workspace: Workspace) {
    chmodSync(workspace.dir, 0o755)
    copyFileSync(EXECUTABLE, join(workspace.dir, 'urlmeta'))
    const command = `setpriv --reuid=65533 --regid=65533 --clear-groups ./urlmeta doctor --json --url ${page('/')}`
    const { stdout, stderr } = await limited(() => workspace.shell(command, ALLOWED))
    if (stdout === '') throw new Error(stderr)
    const { checks } = JSON.parse(stdout) as { checks: Finding[] }
    return (name: string) => checks.find((check) => check.name === name)
  }

  test.concurrent('the data directory cannot be created', async () => {
    await using workspace = openWorkspace()
    const find = await examineAsOther(workspace)
    expect(find('data directory')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('cannot create ./data: EACCES'),
      remedy: expect.stringContaining(`Make ${workspace.dir} writable`),
    })
  })

  test.concurrent('the files of the data directory cannot be read', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    const find = await examineAsOther(workspace)
    expect(find('data directory')).toMatchObject({ status: 'failed', remedy: expect.stringContaining('writable') })
    expect(find('database')).toMatchObject({
      status: 'failed',
      remedy: 'Run the command as the user that owns ./data.',
    })
  })

  test.concurrent('a database belongs to another user', async () => {
    await using workspace = openWorkspace()
    await createKey(workspace)
    chownSync(join(workspace.dir, 'data'), 65_533, 65_533)
    const find = await examineAsOther(workspace)
    expect(find('data directory')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('cannot read and write data/urlmeta.db'),
      remedy: expect.stringContaining('chown --reference=./data data/urlmeta.db'),
    })
  })
})

describeRoot('free space', () => {
  test.concurrent.each<[number, Finding['status']]>([
    [64, 'failed'],
    [512, 'warning'],
  ])('of %d MB: %s', async (megabytes, status) => {
    await using workspace = openWorkspace()
    using disk = smallDisk(workspace.dir, megabytes * 1_024)
    const { find } = await examine(workspace, { URLMETA_DATA_DIR: disk.path })
    expect(find('free space')).toEqual({
      name: 'free space',
      status,
      detail: expect.stringMatching(/ MB are free$/),
      remedy: expect.stringContaining('Free space on this disk'),
    })
  })
})

describeChromium('Chromium', () => {
  const env = { URLMETA_CHROMIUM: chromium ?? '' }

  test.concurrent('renders a test page, which cannot load a private address', async () => {
    await using workspace = openWorkspace()
    const { find } = await examine(workspace, env)
    expect(find('Chromium')?.detail).toMatch(/ renders pages, (in|without) its sandbox$/)
    expect(find('egress guard, headless')).toMatchObject({ status: 'ok' })
  })

  test.concurrent('warns if the allow-list lets it reach the test server', async () => {
    await using workspace = openWorkspace()
    const { find } = await examine(workspace, { ...env, URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.0/8' })
    expect(find('egress guard, headless')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('every port of this machine'),
    })
  })
})

describeChromium('Chromium elsewhere', () => {
  let remote: RemoteBrowser
  beforeAll(async () => void (remote = await startRemoteChromium(chromium!)), PATIENT_TEST_MS)
  afterAll(() => remote[Symbol.asyncDispose]())

  test('renders a page, and responds while a server uses its proxy', async () => {
    await using workspace = openWorkspace()
    const env = { URLMETA_CHROMIUM: remote.http, URLMETA_CHROMIUM_PROXY: remote.source.proxy }
    const alone = await examine(workspace, env)
    expect(alone.find('Chromium')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('renders pages, at http:'),
    })
    expect(alone.find('egress guard, headless')).toMatchObject({ status: 'ok' })
    await workspace.serve(env)
    const beside = await examine(workspace, env)
    expect(beside.find('Chromium')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('responds at http:'),
    })
    expect(beside.find('egress guard, headless')).toMatchObject({ status: 'skipped' })
  })

  test('is missing', async () => {
    await using workspace = openWorkspace()
    const env = { URLMETA_CHROMIUM: `http://127.0.0.1:${CLOSED_PORT}`, URLMETA_CHROMIUM_PROXY: remote.source.proxy }
    const { find } = await examine(workspace, env)
    expect(find('Chromium')).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('URLMETA_CHROMIUM_PROXY'),
    })
  })
})

describeRedis('Redis', (executable) => {
  let server: RedisServer
  beforeAll(async () => void (server = await startRedis(executable)), PATIENT_TEST_MS)
  afterAll(() => server[Symbol.asyncDispose]())
  const configure = (policy: string) => async () => {
    await server.command('CONFIG', 'SET', 'maxmemory-policy', policy)
    await server.command('CONFIG', 'SET', 'maxmemory', '100mb')
  }

  const fill = async () => {
    await configure('noeviction')()
    await server.command('CONFIG', 'SET', 'maxmemory', '1')
  }

  const servers: [string, () => unknown, () => string, Finding['status'], string][] = [
    [
      'that evicts the least recently used results',
      configure('volatile-lru'),
      () => server.url,
      'ok',
      'reads and writes',
    ],
    ['that rejects writes when it is full', configure('noeviction'), () => server.url, 'warning', 'noeviction'],
    ['that evicts counts of the minute', configure('volatile-ttl'), () => server.url, 'warning', 'volatile-ttl'],
    ['that is not running', nothing, () => `redis://127.0.0.1:${CLOSED_PORT}`, 'failed', 'no connection'],
    ['that is full', fill, () => server.url, 'failed', 'OOM'],
    ['without the database', nothing, () => `${server.url}/99`, 'failed', 'out of range'],
  ]
  const isFirst = ([, , , status]: (typeof servers)[number], i: number) =>
    servers.findIndex((one) => one[3] === status) === i
  test.each(typicalCases(servers, isFirst))('%s', async (_, prepare, urlOf, status, detail) => {
    await prepare()
    await using workspace = openWorkspace()
    const ask = async () => (await examine(workspace, { URLMETA_REDIS_URL: urlOf() })).find
    let find = await ask()
    // A busy machine may take longer than the 500 ms for which a request waits.
    const isLate = () => status !== 'failed' && find('Redis')?.status === 'failed'
    while (isLate()) find = await ask()
    expect(find('Redis')).toMatchObject({ status, detail: expect.stringContaining(detail) })
    if (detail === 'OOM') expect(find('Redis')).toHaveProperty('remedy', expect.stringContaining('raise maxmemory'))
  })
})
