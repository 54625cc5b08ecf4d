import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { openWorkspace } from '../executable.ts'
import { createKey } from '../new-key.ts'

const CREATE = ['key', 'create', '--email', 'you@example.com']

describe('without a database', () => {
  test.each([
    [['key', 'list']],
    [['key', 'list', '--json']],
    [['key', 'deactivate', 'some-id']],
    [['key', 'update', 'some-id', '--name', 'new']],
    [['key', 'rotate', 'some-id']],
    [['logs', '--follow']],
    [['user', 'list']],
    [['user', 'set-plan', 'you@example.com', 'growth']],
    [['user', 'set-limits', 'you@example.com', '--keys', '3']],
    [['user', 'set-limits', 'you@example.com']],
    [['user', 'sign-in-link', 'you@example.com']],
  ])('%j prints the path of the missing database, and creates nothing', async (args) => {
    await using place = openWorkspace()
    expect(await place.run(args)).toEqual({
      code: 1,
      stdout: '',
      stderr: `urlmeta: No database at ${place.dir}/data/urlmeta.db. Run the command in the server's working directory, or set URLMETA_DATA_DIR.\n`,
    })
    expect(readdirSync(place.dir)).toEqual([])
  })

  test('key create reports the database that it creates, once', async () => {
    await using place = openWorkspace()
    const first = await place.run([...CREATE, '--json'])
    expect([first.code, first.stderr]).toEqual([0, `urlmeta: created a new database at ${place.dir}/data/urlmeta.db\n`])
    expect(JSON.parse(first.stdout)).toMatchObject({ key: expect.any(String), id: expect.any(String) })
    expect(await place.run(CREATE)).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('invalid arguments are reported before anything is created', () => {
  const tooLong = 'x'.repeat(101)
  test.each<[name: string, args: string[], message: string]>([
    [
      'an empty email',
      ['key', 'create', '--email', ''],
      "option '--email <email>' argument '' is invalid. Not an email",
    ],
    ['a control character', ['key', 'create', '--email', 'a\u001b[2J@b.co'], "argument 'a\ufffd[2J@b.co' is invalid."],
    [
      'an empty name',
      [...CREATE, '--name', ' '],
      "argument ' ' is invalid. A key's name must have 1 to 100 characters.",
    ],
    ['a long name', [...CREATE, '--name', tooLong], "is invalid. A key's name must have 1 to 100 characters."],
    ['an expiry in the past', [...CREATE, '--expires', '2020-01-01'], 'The expiry date must not be in the past.'],
    ['a blank expiry date', [...CREATE, '--expires', ' '], 'The expiry date must be a date such as 2027-01-31.'],
    ['no expiry date', [...CREATE, '--expires', ''], 'The expiry date must be a date such as 2027-01-31.'],
    ['a URL as a host', [...CREATE, '--hosts', 'https://a.example'], 'Expected a host such as example.com'],
    ['a host as an origin', [...CREATE, '--origins', 'a.example'], 'Expected an http(s) origin without path'],
    ['an empty list', [...CREATE, '--addresses', ','], 'Must not be empty; use any for no restriction.'],
    ['an unknown overlap', ['key', 'rotate', 'id', '--overlap', '2h'], 'Allowed choices are 0, 1h, 24h, 7d.'],
    ['nothing to change', ['key', 'update', 'id'], 'nothing to change: use --name'],
    ['an unknown plan', [...CREATE, '--plan', 'gold'], "argument 'gold' is invalid. Plans are free, starter"],
    [
      'an email for a link',
      ['user', 'sign-in-link', 'you'],
      "value 'you' is invalid for argument 'email'. Not an email",
    ],
    [
      'a limit that is too low',
      ['user', 'set-limits', 'you@example.com', '--per-minute', '0'],
      "option '--per-minute <number>' argument '0' is invalid. Expected a whole number from 1 to 1000000, or plan.",
    ],
    [
      'a limit that is no number',
      ['user', 'set-limits', 'you@example.com', '--keys', 'many'],
      "argument 'many' is invalid. Expected a whole number from 0 to 10000, or plan",
    ],
    ['a huge argument', [...CREATE, '--plan', 'x'.repeat(100_000)], `${'x'.repeat(900)}`],
  ])('%s', async (_, args, message) => {
    await using place = openWorkspace()
    const { code, stdout, stderr } = await place.run(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toStartWith('urlmeta: ')
    expect(stderr).toContain(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr.length).toBeLessThan(1_100)
    expect(readdirSync(place.dir)).toEqual([])
  })
})

describe('a database that cannot be used', () => {
  test.each<[name: string, prepare: (data: string) => unknown]>([
    ['a directory in its place', (data) => mkdirSync(join(data, 'urlmeta.db'), { recursive: true })],
    ['another file in its place', (data) => Bun.write(join(data, 'urlmeta.db'), 'not a database\n'.repeat(100))],
  ])('%s', async (_, prepare) => {
    await using place = openWorkspace()
    await prepare(join(place.dir, 'data'))
    for (const args of [CREATE, ['key', 'list'], ['serve']]) {
      const { code, stdout, stderr } = await place.run(args)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^urlmeta: Cannot use the database in .*\(URLMETA_DATA_DIR\): .*\n$/)
    }
  })

  // Root can write anywhere.
  test.skipIf(process.getuid?.() === 0)('a read-only directory', async () => {
    await using place = openWorkspace()
    chmodSync(place.dir, 0o555)
    const { code, stderr } = await place.run(CREATE)
    chmodSync(place.dir, 0o755)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^urlmeta: Cannot use the database in .*\n$/)
  })
})

test('limits of a user are printed, changed and removed', async () => {
  await using place = openWorkspace()
  await place.run(CREATE)
  const setLimits = async (...options: string[]) => {
    const { code, stdout, stderr } = await place.run(['user', 'set-limits', 'YOU@example.com', ...options])
    expect([code, stderr]).toEqual([0, ''])
    return stdout.trimEnd().split('\n')
  }
  expect(await setLimits()).toEqual([
    'LIMIT                 VALUE  SOURCE',
    'Requests/min per key  10     Free plan',
    'Requests/month        1000   Free plan',
    'Active keys           2      Free plan',
  ])
  expect(await setLimits('--per-minute', '5000', '--keys', '0')).toEqual([
    'LIMIT                 VALUE  SOURCE',
    'Requests/min per key  5000   own',
    'Requests/month        1000   Free plan',
    'Active keys           0      own',
  ])
  const list = (await place.run(['user', 'list'])).stdout
  expect(list).toContain('you@example.com  free  per-minute 5000, keys 0')
  const [json] = await setLimits('--per-minute', 'plan', '--keys', '', '--per-month', '7', '--json')
  expect(JSON.parse(json!)).toMatchObject({ plan: 'free', own_limits: { per_minute: null, per_month: 7, keys: null } })
  expect(JSON.parse((await place.run(['user', 'list', '--json'])).stdout)).toEqual([JSON.parse(json!)])
  expect(await place.run(['user', 'set-limits', 'me@example.com'])).toMatchObject({
    code: 1,
    stderr: 'urlmeta: No user has the email me@example.com\n',
  })
})

test.each([
  ['an operator', { URLMETA_ADMIN_EMAILS: 'YOU@example.com' }, 'business'],
  ['another user', { URLMETA_ADMIN_EMAILS: 'op@example.com' }, 'free'],
])('the account of %s is created on its plan', async (_, env, plan) => {
  await using place = openWorkspace()
  await place.run(CREATE, env)
  expect(JSON.parse((await place.run(['user', 'list', '--json'])).stdout)).toMatchObject([{ plan }])
})

test('a key that was deactivated is rotated, and does not work longer', async () => {
  await using place = openWorkspace()
  const key = await createKey(place)
  const [{ id }] = JSON.parse((await place.run(['key', 'list', '--json'])).stdout) as [{ id: string }]
  expect(key).toStartWith('urlmeta_live_')
  await place.run(['key', 'deactivate', id])
  const { code, stdout } = await place.run(['key', 'rotate', id])
  expect([code, stdout]).toEqual([0, expect.stringContaining('The old key no longer works.')])
  const keys = JSON.parse((await place.run(['key', 'list', '--json'])).stdout) as Record<string, string>[]
  const old = keys.find((one) => one['id'] === id)!
  expect(Date.parse(old['expires_at']!)).toBeLessThanOrEqual(Date.now())
})

test('a key is created with restrictions, changed, rotated and listed', async () => {
  await using place = openWorkspace()
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await place.run([...args, '--json'])
    expect([code, args[1] === 'create' ? '' : stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }
  const restrictions = [
    '--expires',
    '2999-12-31',
    '--hosts',
    'a.example,*.b.example',
    '--addresses',
    '10.0.0.0/8',
    '--origins',
    'https://a.example',
  ]
  const { id } = await json(...CREATE, ...restrictions)
  expect(await json('key', 'list')).toMatchObject([
    { id, state: 'active', expires_at: '3000-01-01T00:00:00.000Z', allowed_hosts: ['a.example', '*.b.example'] },
  ])
  expect((await place.run(['key', 'list'])).stdout).toContain(' 2999-12-31 ')
  await json('key', 'update', id, '--name', 'renamed', '--expires', 'never', '--hosts', 'any')
  expect(await json('key', 'list')).toMatchObject([
    {
      name: 'renamed',
      expires_at: null,
      allowed_hosts: [],
      allowed_addresses: ['10.0.0.0/8'],
      allowed_origins: ['https://a.example'],
    },
  ])
  const rotated = await json('key', 'rotate', id, '--overlap', '0')
  expect(rotated).toMatchObject({ key: expect.stringMatching(/^urlmeta_live_[0-9a-f]{32}$/) })
  expect(await json('key', 'list')).toMatchObject([
    { id, state: 'rotated', replaced_by: rotated.id, expires_at: rotated.previous_ends_at },
    { id: rotated.id, name: 'renamed', state: 'active', allowed_addresses: ['10.0.0.0/8'] },
  ])
  expect(await place.run(['key', 'rotate', id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already been rotated'),
  })
})

test('commands print the address of the running server, whose options and environment they do not have', async () => {
  await using place = openWorkspace()
  const server = await place.serve()
  const origin = server.url.replace('127.0.0.1', 'localhost')
  const created = await place.run([...CREATE, '--origins', 'https://a.example'])
  expect(created.stdout).toContain(`-H 'Origin: https://a.example' '${origin}/v1/metadata?url=`)
  const [{ id }] = JSON.parse((await place.run(['key', 'list', '--json'])).stdout) as [{ id: string }]
  const rotated = await place.run(['key', 'rotate', id])
  expect(rotated.stdout).toContain(`-H 'Origin: https://a.example' '${origin}/v1/metadata?url=`)
  const { stdout: link } = await place.run(['user', 'sign-in-link', 'you@example.com'])
  expect(link).toContain(`  ${origin}/sign-in/link?token=`)
  server.kill('SIGTERM')
  await server.exited
  expect((await place.run(CREATE)).stdout).toContain(` 'http://localhost:3000/v1/metadata?url=`)
})

test('commands print the base URL of the running server', async () => {
  await using place = openWorkspace()
  await place.serve({ URLMETA_BASE_URL: 'https://meta.example' })
  expect((await place.run(CREATE)).stdout).toContain(` 'https://meta.example/v1/metadata?url=`)
})
