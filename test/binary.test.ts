import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { version } from '../package.json'
import { EXECUTABLE, openWorkspace } from './executable.ts'
import { createKey } from './new-key.ts'
import { openSite, page, until } from './site.ts'
import { describeProgram } from './requirements.ts'
import { typicalCases } from './thorough.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite(async (pathname) => {
  if (pathname === '/late') await Bun.sleep(50)
  if (pathname.startsWith('/never/')) await new Promise(() => {})
  if (pathname === '/to-private') return new Response(null, { status: 302, headers: { location: 'http://10.0.0.1/' } })
  if (pathname === '/moved') return new Response(null, { status: 302, headers: { location: '/escapes' } })
  if (pathname === '/escapes') return page(200, '<title>\u001b]0;mine\u0007\u001b[2J\u009b2J</title>')
  return page(pathname === '/gone' ? 410 : 200)
})
const ALLOWED = site.env

afterAll(() => site.close())

const parse = (text: string) => JSON.parse(text) as Record<string, unknown>

describe('commands', () => {
  test('version prints version and commit', async () => {
    await using place = openWorkspace()
    expect(parse((await place.run(['version', '--json'])).stdout)).toEqual({
      version,
      commit: expect.stringMatching(/^[0-9a-f]{12}(-dirty)?$|^unknown$/),
    })
    for (const option of ['-v', '-V', '--version']) {
      const stdout = expect.stringContaining(`urlmeta ${version} (`)
      expect(await place.run([option])).toEqual({ code: 0, stdout, stderr: '' })
    }
  })

  test.each([
    [[]],
    [['serve']],
    [['fetch']],
    [['key']],
    [['key', 'create']],
    [['user', 'set-plan']],
    [['config']],
    [['backup']],
    [['restore']],
    [['move']],
    [['doctor']],
  ])('%j --help', async (args) => {
    await using place = openWorkspace()
    const { code, stdout } = await place.run([...args, '--help'])
    expect(code).toBe(0)
    expect(stdout).toStartWith(`Usage: ${['urlmeta', ...args].join(' ')} `)
    expect(await place.run(['help', ...args])).toEqual({ code: 0, stdout, stderr: '' })
  })

  test.each([
    ['an unknown command', ['fech'], "urlmeta: unknown command 'fech' (Did you mean fetch?)"],
    ['an unknown option', ['serve', '--prot', '1'], "urlmeta: unknown option '--prot' (Did you mean --port?)"],
    [
      'an argument too many',
      ['version', 'x'],
      "urlmeta: too many arguments for 'version'. Expected 0 arguments but got 1: x.",
    ],
    ['a missing option', ['key', 'create'], "urlmeta: required option '--email <email>' not specified"],
    [
      'a bad email',
      ['key', 'create', '--email', 'you'],
      "urlmeta: option '--email <email>' argument 'you' is invalid. Not an email address.",
    ],
    ['help of an unknown command', ['help', 'key', 'make'], "urlmeta: unknown command 'key make'"],
    [
      'an unknown plan',
      ['user', 'set-plan', 'you@example.com', 'gold'],
      "urlmeta: command-argument value 'gold' is invalid for argument 'plan'. Plans are free, starter, growth, business.",
    ],
    ['no URL', ['fetch'], 'urlmeta: no URLs: pass them as arguments, or a file of them with --file'],
    [
      'a timeout out of range',
      ['fetch', '--timeout', '15001', 'http://a.test/'],
      "urlmeta: option '--timeout <ms>' argument '15001' is invalid. Must be an integer from 1 to 15000.",
    ],
  ])('wrong use: %s', async (_, args, line) => {
    await using place = openWorkspace()
    expect(await place.run(args)).toEqual({ code: 2, stdout: '', stderr: `${line}\n` })
    expect(readdirSync(place.dir)).toEqual([])
  })

  test.each([
    ['an unknown user', ['user', 'set-plan', 'me@example.com', 'free'], 'No user has the email me@example.com'],
    ['an unknown key', ['key', 'deactivate', 'x'], 'No key has the id x'],
    ['a missing list', ['fetch', '--file', 'urls.txt'], /^Cannot read urls.txt: no such file or directory$/],
  ])('failed: %s', async (_, args, message) => {
    await using place = openWorkspace()
    await createKey(place)
    const { code, stdout, stderr } = await place.run(args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.replace('urlmeta: ', '').trimEnd()).toMatch(message)
  })

  test('every command reports every invalid setting', async () => {
    await using place = openWorkspace()
    const env = { URLMETA_PORT: 'abc', URLMETA_CASH_TTL: '1h', URLMETA_REDIS_URL: 'redis://localhost/x' }
    for (const args of [[], ['config'], ['key', 'list'], ['fetch', site.urlOf('/')]]) {
      const { code, stdout, stderr } = await place.run(args, env)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('URLMETA_PORT: expected 0 to 65535, got "abc"')
      expect(stderr).toContain('did you mean URLMETA_CACHE_TTL?')
      expect(stderr).toContain('URLMETA_REDIS_URL: expected redis://')
    }
  })

  test('config masks secrets and reads .env in the working directory', async () => {
    await using place = openWorkspace()
    await Bun.write(join(place.dir, '.env'), 'URLMETA_PORT=4321\nURLMETA_METRICS_TOKEN=a-very-secret-token-indeed\n')
    await Bun.write(join(place.dir, 'bunfig.toml'), 'preload = ["./missing.ts"]\n')
    const { code, stdout } = await place.run(['config', '--json'], { URLMETA_CACHE_TTL: '7d' })
    expect(code).toBe(0)
    expect(parse(stdout)).toMatchObject({
      URLMETA_PORT: { value: '4321', source: 'set' },
      URLMETA_CACHE_TTL: { value: '7d', source: 'set' },
      URLMETA_HOST: { value: '127.0.0.1', source: 'default' },
    })
    expect(stdout).not.toContain('very-secret')
  })

  test('openapi prints the document with the public origin', async () => {
    await using place = openWorkspace()
    const { stdout } = await place.run(['openapi'], { URLMETA_BASE_URL: 'https://meta.example' })
    expect(parse(stdout)).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://meta.example' }] })
  })

  test('sign-in links', async () => {
    await using place = openWorkspace()
    await createKey(place)
    const env = { URLMETA_BASE_URL: 'https://meta.example' }
    const { stdout } = await place.run(['user', 'sign-in-link', 'You@example.com', '--json'], env)
    expect(parse(stdout)).toEqual({
      url: expect.stringMatching(/^https:\/\/meta\.example\/sign-in\/link\?token=[\w-]{43}$/),
      email: 'you@example.com',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect((await place.run(['user', 'sign-in-link', 'you@example.com'])).stdout).toContain(
      'http://localhost:3000/sign-in/link?token=',
    )
    expect(await place.run(['user', 'sign-in-link', 'you'])).toMatchObject({ code: 2, stdout: '' })
  })

  test('names from users cannot write control sequences to a terminal', async () => {
    await using place = openWorkspace()
    await createKey(place)
    using database = new Database(join(place.dir, 'data/urlmeta.db'))
    database.run("UPDATE api_keys SET name = char(27) || '[31mred' || char(10) || 'forged ' || char(8238) || 'x'")
    const { stdout } = await place.run(['key', 'list'])
    expect(stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
  })

  test('keys and users', async () => {
    await using place = openWorkspace()
    const created = await place.run(['key', 'create', '--email', 'you@example.com', '--name', 'blog', '--json'])
    const { key, id } = parse(created.stdout) as { key: string; id: string }
    expect(key).toMatch(/^urlmeta_live_[0-9a-f]{32}$/)
    await place.run(['user', 'set-plan', 'YOU@example.com', 'Growth'])
    expect(JSON.parse((await place.run(['user', 'list', '--json'])).stdout)).toMatchObject([
      { email: 'you@example.com', plan: 'growth' },
    ])
    expect((await place.run(['key', 'deactivate', id])).code).toBe(0)
    const listed = await place.run(['key', 'list', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject([
      {
        id,
        name: 'blog',
        email: 'you@example.com',
        last_four: key.slice(-4),
        state: 'deactivated',
        last_used_at: null,
      },
    ])
    const table = (await place.run(['key', 'list'])).stdout
    expect(table).toContain(`urlmeta_live_…${key.slice(-4)}`)
    expect(listed.stdout + table).not.toContain(key)

    expect(statSync(join(place.dir, 'data')).mode & 0o777).toBe(0o700)
    using database = new Database(join(place.dir, 'data/urlmeta.db'), { readonly: true })
    expect(JSON.stringify(database.query('SELECT * FROM api_keys').all())).not.toContain(key)
  })
})

describe('fetch', () => {
  test('one URL prints indented JSON and creates no database', async () => {
    await using place = openWorkspace()
    const { code, stdout, stderr } = await place.run(['fetch', site.urlOf('/page')], ALLOWED)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toStartWith(`{\n  "url": "${site.urlOf('/page')}",\n  "title": "A saved page",\n`)
    expect(readdirSync(place.dir)).toEqual([])
  })

  test('several print one line each in order, including failures', async () => {
    await using place = openWorkspace()
    await Bun.write(
      join(place.dir, 'urls.txt'),
      `${site.urlOf('/late')}\n\n # a comment\n  ${site.urlOf('/gone')}  \r\nnonsense\n`,
    )
    const { code, stdout } = await place.run(['fetch', site.urlOf('/first'), '--file', 'urls.txt', '--json'], ALLOWED)
    expect(code).toBe(1)
    expect(stdout.trimEnd().split('\n').map(parse)).toMatchObject([
      { url: site.urlOf('/first'), title: 'A saved page' },
      { url: site.urlOf('/late'), title: 'A saved page' },
      { url: site.urlOf('/gone'), error: 'Failed to fetch URL: HTTP 410' },
      { url: 'nonsense', error: 'Invalid URL: must start with http:// or https://' },
    ])
  })

  test.each<[text: string, read: string]>([
    ['10.0.0.1', 'https://10.0.0.1'],
    ['10.0.0.1:8443/page?q=1', 'https://10.0.0.1:8443/page?q=1'],
    ['http://10.0.0.1/', 'http://10.0.0.1/'],
    ['page.html#//', 'https://page.html#//'],
    ['localhost:8080/', 'localhost:8080/'],
    ['1.2', '1.2'],
    ['me@10.0.0.1', 'me@10.0.0.1'],
    ['nonsense', 'nonsense'],
  ])('%s without a scheme is read as %s', async (text, read) => {
    await using place = openWorkspace()
    const { stdout, stderr } = await place.run(['fetch', text, '--timeout', '1000'])
    expect(JSON.parse(stdout)).toMatchObject({ url: read, error: expect.any(String) })
    const line = `urlmeta: ${text} is read as ${read}\n`
    expect(stderr.startsWith(line)).toBe(read !== text)
  })

  test.each<[name: string, url: string, remedy: string]>([
    ['an address', 'http://10.0.0.1/', 'such as 10.0.0.1:80.'],
    ['an IPv6 address', 'http://[::1]:8000/', 'such as [::1]:8000.'],
    ['this machine', 'https://localhost/', 'such as localhost:443.'],
    ['a local name', 'http://metadata.internal/', 'such as metadata.internal:80.'],
    ['a redirect to a private address', site.urlOf('/to-private'), 'such as 10.0.0.1:80.'],
    ['a port that cannot be allowed', 'http://127.0.0.1:25/', ''],
    ['another problem', 'http://you@10.0.0.1/', ''],
  ])('a private destination: %s', async (_, url, remedy) => {
    await using place = openWorkspace()
    const { code, stdout, stderr } = await place.run(['fetch', url, 'nonsense'], ALLOWED)
    expect([code, stdout]).toEqual([1, expect.stringContaining('"error"')])
    const line = `urlmeta: Private addresses are not fetched. To allow one, list it in URLMETA_ALLOW_PRIVATE_HOSTS, ${remedy}\n`
    expect(stderr).toBe(remedy === '' ? '' : line)
  })

  test('a list may be a pipe, and an empty one is reported', async () => {
    await using place = openWorkspace()
    const piped = await place.shell(`echo ${site.urlOf('/a')} | urlmeta fetch --file /dev/stdin`, ALLOWED)
    expect([piped.code, piped.stderr]).toEqual([0, ''])
    expect(await place.run(['fetch', '--file', '/dev/null'])).toMatchObject({ code: 2, stdout: '' })
  })

  test('--explain prints redirects, and no control sequences from pages', async () => {
    await using place = openWorkspace()
    const { code, stdout } = await place.run(['fetch', '--explain', site.urlOf('/moved')], ALLOWED)
    expect(code).toBe(0)
    expect(stdout).toMatch(/302.* → \S*\/escapes/)
    expect(stdout).toContain(`2. ${site.urlOf('/escapes')} (redirect)`)
    expect(stdout).toContain('addresses  127.0.0.1 loopback, by literal')
    expect(stdout).toContain('← title element')
    expect(stdout).toContain('http: The page has no scripts.')
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  test('URLs can be read from standard input', async () => {
    await using place = openWorkspace()
    const { code, stdout } = await place.run(
      ['fetch', '--file', '-'],
      ALLOWED,
      `${site.urlOf('/a')}\n${site.urlOf('/b')}\n`,
    )
    expect(code).toBe(0)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => parse(line)['url']),
    ).toEqual([site.urlOf('/a'), site.urlOf('/b')])
  })

  test('a closed output is not an error', async () => {
    await using place = openWorkspace()
    const urls = Array.from({ length: 500 }, (_, i) => site.urlOf(`/${i}`))
    await Bun.write(join(place.dir, 'urls.txt'), urls.join('\n'))
    const { code, stdout, stderr } = await place.shell('urlmeta fetch --file urls.txt | head -n 1', ALLOWED)
    expect([code, stderr, stdout.split('\n').length]).toEqual([0, '', 2])
  })

  test('a private address that is not allowed is not fetched', async () => {
    await using place = openWorkspace()
    const { code, stdout } = await place.run(['fetch', site.urlOf('/page')])
    expect([code, parse(stdout)['error']]).toEqual([1, 'Invalid URL: the address is private or reserved'])
  })
})

describe('serve', () => {
  test('prints its address and the sign-in link at every log level', async () => {
    await using place = openWorkspace()
    const service = await place.serve({ ...ALLOWED, URLMETA_LOG: 'error' })
    await until(() => service.output().includes('/sign-in/link?token='))
    await fetch(`${service.url}/healthz`)
    // All lines are written before it exits.
    service.kill('SIGTERM')
    await service.exited
    expect(service.output()).not.toContain('"msg":"request"')
    using database = new Database(join(place.dir, 'data/urlmeta.db'), { readonly: true })
    expect(database.query('SELECT actor, action, email, detail FROM audit_log').all()).toEqual([
      {
        actor: null,
        action: 'link_created',
        email: 'operator@urlmeta.internal',
        detail: 'printed at server start',
      },
    ])
  })

  test('a new key works, and commands change its limits while the server runs', async () => {
    await using place = openWorkspace()
    const service = await place.serve(ALLOWED)
    const { key, id } = parse((await place.run(['key', 'create', '--email', 'you@example.com', '--json'])).stdout) as {
      key: string
      id: string
    }
    const first = await site.request(service, key, '/page')
    expect(first.status).toBe(200)
    expect(await first.json()).toMatchObject({ url: site.urlOf('/page'), title: 'A saved page', fetch_method: 'http' })
    expect([first.headers.get('x-ratelimit-limit'), first.headers.get('x-monthly-used')]).toEqual(['10', '1'])
    await place.run(['user', 'set-plan', 'you@example.com', 'business'])
    expect((await site.request(service, key, '/page')).headers.get('x-ratelimit-limit')).toBe('1000')
    await place.run(['key', 'deactivate', id])
    expect((await site.request(service, key, '/page')).status).toBe(401)
    expect(service.output()).not.toContain(key)
    for (const line of service.output().trimEnd().split('\n')) expect(parse(line)['level']).toBeString()
  })

  test('requests with the shortest timeout write only lines of JSON', async () => {
    await using place = openWorkspace()
    const service = await place.serve(ALLOWED)
    const query = new URLSearchParams({ url: site.urlOf('/page'), timeout: '1', api_key: await createKey(place) })
    for (let n = 0; n < 5; n++) {
      expect([200, 502]).toContain((await fetch(`${service.url}/v1/metadata?${query}`)).status)
    }
    service.kill('SIGTERM')
    await service.exited
    for (const line of service.output().trimEnd().split('\n')) expect(parse(line)['level']).toBeString()
  })

  test('long URLs and unexpected bodies get JSON responses', async () => {
    await using place = openWorkspace()
    const key = await createKey(place)
    const service = await place.serve(ALLOWED)
    const japanese = await site.request(service, key, `/#${'あ'.repeat(8_000)}`)
    expect([japanese.status, await japanese.json()]).toMatchObject([200, { title: 'A saved page' }])
    const long = await site.request(service, key, `/${'a'.repeat(40_000)}`)
    expect([long.status, await long.json()]).toEqual([400, { error: 'Invalid URL: longer than 8192 characters' }])
    const posted = await fetch(`${service.url}/v1/metadata`, { method: 'POST', body: 'x'.repeat(100_000) })
    expect([posted.status, await posted.json()]).toEqual([405, { error: 'Method not allowed' }])
    await until(() => service.output().match(/"msg":"request"/g)?.length === 3)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s: finishes requests in progress and exits with 0', async (signal) => {
    await using place = openWorkspace()
    const key = await createKey(place)
    const service = await place.serve(ALLOWED)
    const held = await site.requestHeld(service, key)
    service.kill(signal)
    await until(() => service.output().includes('stopping'))
    held.release()
    expect((await held.response).status).toBe(200)
    expect(await service.exited).toBe(0)
  })

  test('releases the quota of requests whose clients leave while it stops', async () => {
    await using place = openWorkspace()
    const key = await createKey(place)
    const service = await place.serve({ ...ALLOWED, URLMETA_PLAN_FREE_PER_MINUTE: '100', URLMETA_WORKERS: '1' })
    const clients = new AbortController()
    const options = { headers: { 'x-api-key': key }, signal: clients.signal }
    const urls = Array.from({ length: 50 }, (_, n) => site.urlOf(`/never/${n}`))
    const responses = urls.map((url) => fetch(`${service.url}/v1/metadata?timeout=15000&url=${url}`, options))
    using database = new Database(join(place.dir, 'data/urlmeta.db'))
    const used = () => database.query('SELECT sum(used) FROM monthly_usage').values()[0]![0]
    await until(() => used() === urls.length)
    clients.abort()
    service.kill('SIGTERM')
    await Promise.allSettled(responses)
    expect(await service.exited).toBe(0)
    expect(used()).toBe(0)
  })

  test('with a shutdown delay, it keeps serving while /readyz is 503, and then stops', async () => {
    await using place = openWorkspace()
    const service = await place.serve({ URLMETA_SHUTDOWN_DELAY: '8s' })
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    service.kill('SIGTERM')
    await until(() => service.output().includes('/readyz is 503'))
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503)
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    expect(service.output()).not.toContain('waiting for requests')
    expect(await service.exited).toBe(0)
    expect(service.output()).toContain('waiting for requests')
  })

  test('a second signal terminates it immediately', async () => {
    await using place = openWorkspace()
    const key = await createKey(place)
    const service = await place.serve(ALLOWED)
    const held = await site.requestHeld(service, key)
    const settled = held.response.catch(() => null)
    service.kill('SIGTERM')
    await until(() => service.output().includes('stopping'))
    service.kill('SIGTERM')
    expect(await service.exited).toBe(143)
    await settled
  })

  /** How often the server is killed: the second time, it has continued from the counts of the first. */
  const ROUNDS = 2
  test.each(typicalCases(['0', '1', '3'], (count) => count === '3'))(
    'kill -9 with %s workers loses no charge of a sent response',
    async (count) => {
      await using place = openWorkspace()
      const env = { ...ALLOWED, URLMETA_PLAN_FREE_PER_MINUTE: '100000', URLMETA_WORKERS: count }
      const key = await createKey(place)
      let succeeded = 0
      for (let round = 0; round < ROUNDS; round++) {
        const service = await place.serve(env)
        const load = Array.from({ length: 8 }, async (_, i) => {
          for (let n = 0; ; n++) {
            // Half of the responses are cached; the workers read the other pages.
            const path = n % 2 === 0 ? `/page${(n + i) % 7}` : `/uncached-${round}-${i}-${n}`
            const received = await site
              .request(service, key, path)
              .then(async (response) => [response.status, await response.text()])
              .catch(() => null)
            if (received === null) return
            if (received[0] === 200) succeeded++
            // On a busy machine a page can take too long, which is not charged.
            else expect(received).toEqual([502, expect.stringMatching(/timed out|page could not be processed/)])
          }
        })
        await until(() => succeeded >= (round + 1) * 100)
        service.kill('SIGKILL')
        await Promise.all(load)
      }
      const service = await place.serve(env)
      const used = Number((await site.request(service, key, '/page')).headers.get('x-monthly-used')) - 1
      expect(used).toBeGreaterThanOrEqual(succeeded)
      // At most the requests in progress when it was killed.
      expect(used).toBeLessThanOrEqual(succeeded + ROUNDS * 8)
    },
    PATIENT_TEST_MS,
  )

  test('fails on a port that is in use', async () => {
    await using place = openWorkspace()
    const { code, stderr } = await place.run(['serve'], { URLMETA_PORT: String(site.port) })
    expect(code).toBe(1)
    expect(stderr).toBe(
      `urlmeta: Cannot listen on 127.0.0.1:${site.port} (URLMETA_HOST, URLMETA_PORT): the port is in use\n`,
    )
  })

  describeProgram('strace', (strace) => {
    test.each([
      ['', ''],
      // The last system call then fails with another error.
      [', whichever system call failed last', `${strace} -f -qq -o /dev/null -e inject=connect:error=ECONNREFUSED `],
    ])('fails on a name that does not resolve%s', async (_, tracer) => {
      await using place = openWorkspace()
      const env = { URLMETA_HOST: 'nosuch.invalid', URLMETA_PORT: '0' }
      const { code, stderr } = await place.shell(`${tracer}${EXECUTABLE} serve`, env)
      expect([code, stderr]).toEqual([
        1,
        'urlmeta: Cannot listen on nosuch.invalid:0 (URLMETA_HOST, URLMETA_PORT): the name does not resolve\n',
      ])
    })
  })

  test('fails on a port that another server uses', async () => {
    await using place = openWorkspace()
    await using other = openWorkspace()
    const { port } = new URL((await place.serve()).url)
    const { code, stderr } = await other.run(['serve'], { URLMETA_PORT: port })
    expect([code, stderr]).toEqual([
      1,
      `urlmeta: Cannot listen on 127.0.0.1:${port} (URLMETA_HOST, URLMETA_PORT): the port is in use\n`,
    ])
  })

  test('rejects a data directory in use by another server, until that server is killed', async () => {
    await using place = openWorkspace()
    const first = await place.serve()
    const { code, stderr } = await place.run(['serve'], { URLMETA_PORT: '0' })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`urlmeta: Process ${first.pid} already serves from `)])
    expect(stderr).toContain('several processes need PostgreSQL')
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    first.kill('SIGKILL')
    await first.exited
    expect((await fetch(`${(await place.serve()).url}/healthz`)).status).toBe(200)
  })

  test('deletes keys that were deactivated long ago', async () => {
    await using place = openWorkspace()
    for (const name of ['active', 'dead'])
      await place.run(['key', 'create', '--email', 'you@example.com', '--name', name])
    using database = new Database(join(place.dir, 'data/urlmeta.db'))
    database.run("UPDATE api_keys SET deactivated_at = 1 WHERE name = 'dead'")
    await place.serve()
    const names = () => database.query('SELECT name FROM api_keys').values().flat()
    await until(() => names().length === 1)
    expect(names()).toEqual(['active'])
  })

  test('warns about a data directory that other users can list', async () => {
    await using place = openWorkspace()
    mkdirSync(join(place.dir, 'data'), { mode: 0o755 })
    const service = await place.serve()
    await until(() => service.output().includes('chmod 700'))
    const [warning] = service
      .output()
      .split('\n')
      .filter((line) => line.includes('chmod 700'))
    expect(parse(warning!)).toMatchObject({ level: 'warn', dataDir: expect.stringContaining('data') })
  })

  test('warns about configuration files that every user can read', async () => {
    await using place = openWorkspace()
    writeFileSync(join(place.dir, '.env'), 'URLMETA_SITES=sites.json\n', { mode: 0o604 })
    writeFileSync(join(place.dir, 'sites.json'), '[]', { mode: 0o644 })
    writeFileSync(join(place.dir, 'private.json'), '[]', { mode: 0o640 })
    const warned = async (env: Record<string, string>) => {
      const service = await place.serve(env)
      return [...service.output().matchAll(/other users can read (\S+): chmod o= /g)].map(([, file]) => file)
    }
    expect(await warned({})).toEqual(['.env', 'sites.json'])
    expect(await warned({ URLMETA_SITES: 'private.json', URLMETA_DATA_DIR: 'other' })).toEqual(['.env'])
  })

  test('fails on an invalid data directory', async () => {
    await using place = openWorkspace()
    await Bun.write(join(place.dir, 'file'), '')
    const { code, stderr } = await place.run(['serve'], { URLMETA_DATA_DIR: 'file/data' })
    expect(code).toBe(1)
    expect(stderr).toStartWith('urlmeta: Cannot use the data directory ')
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
